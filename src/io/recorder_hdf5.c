/* HDF5 writer: one compressed dataset per channel, with everything needed to explain the file.
 *
 * HDF5 builds its file in memory, and base/file.h writes it when it is complete. HDF5 therefore
 * never sees a full disk: after a failed write, version 1.10 crashes when the program exits. Only
 * memory can run out inside HDF5. */
#include <assert.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "io/hdf5.h"
#include "io/recorder.h"
#include "io/recorder_tables.h"

enum {
  CHUNK_MAX = 1024,        /* rows buffered before they are written */
  CHUNK_MIN = 64,          /* for very many channels */
  BUFFER_BYTES = 64 << 20, /* target size of the buffer */
  GROWTH_BYTES = 1 << 20   /* growth increment of the file in memory */
};

typedef struct hdf5_state {
  int count; /* channels */
  hid_t file, group;
  hid_t *sets;     /* one dataset per channel */
  int set_count;   /* datasets created so far */
  double *buffer;  /* chunk values of channel 0, of channel 1, ... */
  int chunk;       /* capacity of the buffer, rows */
  int held;        /* rows in the buffer */
  hsize_t written; /* rows in the datasets */
  void *image;     /* the file image, once closed */
  size_t image_room, image_used;
  void *spare; /* reserved for the growth of the file image */
  size_t spare_room;
  bool broken;                           /* a row was lost: out of memory */
  ff_hdf5_table *tables[FF_TABLE_COUNT]; /* NULL: the recording has none */
} hdf5_state;

/* ---- attributes ------------------------------------------------------------------------------ */

static bool hdf5_write_attribute(hid_t object, const char *name, hid_t type, const void *value) {
  hid_t space = H5Screate(H5S_SCALAR), attribute = -1;
  if (space >= 0) {
    attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  }
  bool done = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  done = ff_hdf5_close(H5Aclose, attribute) && done;
  return ff_hdf5_close(H5Sclose, space) && done;
}

/* Writes a UTF-8 text of any length. Its type has a fixed size: HDF5 does not checksum texts of
 * variable size. */
static bool hdf5_write_text(hid_t object, const char *name, const char *text) {
  hid_t type = H5Tcopy(H5T_C_S1);
  bool done = type >= 0 && H5Tset_size(type, strlen(text) + 1) >= 0 &&
              H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
              hdf5_write_attribute(object, name, type, text);
  return ff_hdf5_close(H5Tclose, type) && done;
}

/* ---- file image ------------------------------------------------------------------------------ */

/* Reserves memory for the next writes before HDF5 is called, since HDF5 does not handle failures
 * well. Doubling keeps the copying proportional. */
static ff_status hdf5_reserve_image(hdf5_state *state, size_t more) {
  size_t chunks = (size_t)state->written / (size_t)state->chunk + 1;
  size_t tables = (size_t)state->count * (4096 + 64 * chunks); /* of datasets and chunks */
  size_t wanted = state->image_used + more + tables + GROWTH_BYTES;
  if (wanted <= state->image_room || wanted <= state->spare_room) {
    return FF_OK;
  }
  ff_free(state->spare);
  state->spare = ff_alloc(2 * wanted, 1);
  state->spare_room = state->spare ? 2 * wanted : 0;
  return state->spare ? FF_OK : FF_ERROR_MEMORY;
}

/* Callback for growth: the file image moves into the reserved memory. */
static void *hdf5_grow_image(void *old, size_t size, H5FD_file_image_op_t op, void *context) {
  (void)op;
  hdf5_state *state = context;
  state->image_used = size;
  if (size <= state->image_room) {
    return old;
  }
  if (size > state->spare_room) {
    return NULL;
  }
  void *grown = state->spare;
  if (old) {
    memcpy(grown, old, state->image_room);
  }
  ff_free(old);
  state->image_room = state->spare_room;
  state->spare = NULL;
  state->spare_room = 0;
  return grown;
}

/* Callback for closing: keeps the complete file image. */
static herr_t hdf5_keep_image(void *image, H5FD_file_image_op_t op, void *context) {
  (void)op;
  hdf5_state *state = context;
  state->image = image;
  return 0;
}

static void *hdf5_share_context(void *context) {
  return context;
}

static herr_t hdf5_leave_context(void *context) {
  (void)context;
  return 0;
}

/* ---- header ---------------------------------------------------------------------------------- */

/* The format of HDF5 1.10 has checksums over all metadata: damage is detected when the file is
 * read. */
static bool hdf5_create_file(hdf5_state *state) {
  H5FD_file_image_callbacks_t memory = {.image_realloc = hdf5_grow_image,
                                        .image_free = hdf5_keep_image,
                                        .udata_copy = hdf5_share_context,
                                        .udata_free = hdf5_leave_context,
                                        .udata = state};
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), options = H5Pcreate(H5P_FILE_CREATE);
  bool done = access >= 0 && options >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
              H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
              H5Pset_fapl_core(access, GROWTH_BYTES, false) >= 0 &&
              H5Pset_file_image_callbacks(access, &memory) >= 0 &&
              /* without timestamps, so that the same run gives the same bytes */
              H5Pset_obj_track_times(options, false) >= 0;
  state->file = done ? H5Fcreate("recording", H5F_ACC_TRUNC, options, access) : -1;
  done = ff_hdf5_close(H5Pclose, options) && done;
  done = ff_hdf5_close(H5Pclose, access) && done;
  return done && state->file >= 0;
}

/* The group records the creation order of the channels. */
static bool hdf5_create_group(hdf5_state *state) {
  unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  hid_t options = H5Pcreate(H5P_GROUP_CREATE);
  if (options >= 0 && H5Pset_link_creation_order(options, order) >= 0 &&
      H5Pset_obj_track_times(options, false) >= 0) {
    state->group = H5Gcreate2(state->file, FF_HDF5_CHANNELS, H5P_DEFAULT, options, H5P_DEFAULT);
  }
  return ff_hdf5_close(H5Pclose, options) && state->group >= 0;
}

/* Layout of the datasets: chunks of rows, bytes shuffled, then deflated. -1: out of memory. */
static hid_t hdf5_dataset_layout(int chunk) {
  hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t size = (hsize_t)chunk;
  bool done = layout >= 0 && H5Pset_chunk(layout, 1, &size) >= 0 &&
              H5Pset_obj_track_times(layout, false) >= 0;
  if (done && H5Zfilter_avail(H5Z_FILTER_SHUFFLE) > 0 && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
    done = H5Pset_shuffle(layout) >= 0 && H5Pset_deflate(layout, 4) >= 0;
  }
  if (!done) {
    ff_hdf5_close(H5Pclose, layout);
  }
  return done ? layout : -1;
}

/* No chunk cache: whole chunks are written at once. -1: out of memory. */
static hid_t hdf5_dataset_access(void) {
  hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  if (access >= 0 && H5Pset_chunk_cache(access, 0, 0, 1.0) < 0) {
    H5Pclose(access);
    return -1;
  }
  return access;
}

static bool hdf5_create_sets(hdf5_state *state, const ff_recording_info *info) {
  hsize_t none = 0, any = H5S_UNLIMITED;
  hid_t space = H5Screate_simple(1, &none, &any);
  hid_t layout = hdf5_dataset_layout(state->chunk);
  hid_t access = hdf5_dataset_access();
  bool done = space >= 0 && layout >= 0 && access >= 0;
  for (int i = 0; i < info->count && done; i++) {
    char link[3 * FF_RECORDING_NAME_MAX];
    ff_hdf5_link_name(info->names[i], link);
    hid_t set = H5Dcreate2(state->group, link, H5T_IEEE_F64LE, space, H5P_DEFAULT, layout, access);
    if (set >= 0) {
      state->sets[state->set_count++] = set;
    }
    done = set >= 0 && hdf5_write_text(set, FF_HDF5_UNIT, info->units[i]);
  }
  done = ff_hdf5_close(H5Pclose, access) && done;
  done = ff_hdf5_close(H5Pclose, layout) && done;
  return ff_hdf5_close(H5Sclose, space) && done;
}

static ff_status hdf5_reserve_buffer(ff_recorder *recorder) {
  hdf5_state *state = ff_alloc(1, sizeof *state);
  if (!state) {
    return FF_ERROR_MEMORY;
  }
  recorder->state = state;
  state->count = recorder->count;
  state->file = state->group = -1;
  int rows = BUFFER_BYTES / (int)sizeof(double) / recorder->count;
  state->chunk = rows < CHUNK_MIN ? CHUNK_MIN : rows > CHUNK_MAX ? CHUNK_MAX : rows;
  state->sets = ff_alloc((size_t)recorder->count, sizeof *state->sets);
  state->buffer = ff_alloc((size_t)recorder->count * (size_t)state->chunk, sizeof(double));
  return state->sets && state->buffer ? FF_OK : FF_ERROR_MEMORY;
}

/* Names of the bodies, in the order of their numbers from 1 on. */
static bool hdf5_write_bodies(hid_t file, const ff_recording_info *info) {
  size_t width = 1;
  for (int i = 0; i < info->body_count; i++) {
    size_t length = strlen(info->bodies[i]) + 1;
    width = length > width ? length : width;
  }
  hsize_t count = (hsize_t)info->body_count;
  char *texts = ff_alloc((size_t)count, width);
  for (int i = 0; texts && i < info->body_count; i++) {
    memcpy(texts + (size_t)i * width, info->bodies[i], strlen(info->bodies[i]));
  }
  hid_t type = texts ? H5Tcopy(H5T_C_S1) : -1, space = -1, set = -1;
  hid_t options = type >= 0 ? H5Pcreate(H5P_DATASET_CREATE) : -1;
  bool done =
      options >= 0 && H5Pset_obj_track_times(options, false) >= 0 &&
      H5Tset_size(type, width) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0 &&
      (space = H5Screate_simple(1, &count, NULL)) >= 0 &&
      (set = H5Dcreate2(file, "bodies", type, space, H5P_DEFAULT, options, H5P_DEFAULT)) >= 0 &&
      H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0;
  ff_hdf5_close(H5Dclose, set);
  ff_hdf5_close(H5Sclose, space);
  ff_hdf5_close(H5Tclose, type);
  ff_hdf5_close(H5Pclose, options);
  ff_free(texts);
  return done;
}

static bool hdf5_create_tables(hdf5_state *state, const ff_recording_info *info) {
  return !info->bodies ||
         (hdf5_write_bodies(state->file, info) &&
          ff_hdf5_table_create(&state->tables[FF_TABLE_EVENTS], state->file, FF_TABLE_EVENTS) &&
          (!info->contacts || ff_hdf5_table_create(&state->tables[FF_TABLE_CONTACTS], state->file,
                                                   FF_TABLE_CONTACTS)));
}

static ff_status hdf5_begin(ff_recorder *recorder, const ff_recording_info *info) {
  ff_status status = hdf5_reserve_buffer(recorder);
  if (status != FF_OK) {
    return status;
  }
  hdf5_state *state = recorder->state;
  const char *scene = info->scene ? info->scene : "";
  size_t names = 0;
  for (int i = 0; info->bodies && i < info->body_count; i++) {
    names = names > strlen(info->bodies[i]) ? names : strlen(info->bodies[i]);
  }
  size_t bodies = (names + 1) * (size_t)info->body_count;
  status = hdf5_reserve_image(state, strlen(scene) + bodies + GROWTH_BYTES);
  if (status != FF_OK || !ff_memory_is_there(FF_HDF5_MEMORY)) {
    return FF_ERROR_MEMORY;
  }
  ff_hdf5_voice voice = ff_hdf5_hush();
  bool done =
      hdf5_create_file(state) && hdf5_write_text(state->file, FF_HDF5_VERSION, FOOTFALL_VERSION) &&
      hdf5_write_text(state->file, FF_HDF5_SCENE, scene) &&
      hdf5_write_text(state->file, FF_HDF5_FILE, info->file ? info->file : "") &&
      hdf5_create_group(state) && hdf5_create_sets(state, info) && hdf5_create_tables(state, info);
  ff_hdf5_restore(voice);
  return done ? FF_OK : FF_ERROR_MEMORY;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Appends the buffered rows of one channel to its dataset. */
static bool hdf5_append(const hdf5_state *state, int channel, hid_t from) {
  hid_t set = state->sets[channel];
  hsize_t start = state->written, count = (hsize_t)state->held, total = start + count;
  const double *values = state->buffer + (size_t)channel * (size_t)state->chunk;
  if (H5Dset_extent(set, &total) < 0) {
    return false;
  }
  hid_t to = H5Dget_space(set);
  bool done = to >= 0 && H5Sselect_hyperslab(to, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
              H5Dwrite(set, H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, values) >= 0;
  return ff_hdf5_close(H5Sclose, to) && done;
}

static bool hdf5_flush(hdf5_state *state) {
  if (state->held == 0) {
    return true;
  }
  size_t values = (size_t)state->count * (size_t)state->chunk;
  if (hdf5_reserve_image(state, values * sizeof(double) + values / 8) != FF_OK) {
    return false;
  }
  hsize_t count = (hsize_t)state->held;
  hid_t from = H5Screate_simple(1, &count, NULL);
  bool done = from >= 0;
  for (int i = 0; i < state->set_count && done; i++) {
    done = hdf5_append(state, i, from);
  }
  done = ff_hdf5_close(H5Sclose, from) && done;
  state->written += count;
  state->held = 0;
  return done;
}

static ff_status hdf5_add(ff_recorder *recorder, const double *row) {
  hdf5_state *state = recorder->state;
  for (int i = 0; i < recorder->count; i++) {
    state->buffer[(size_t)i * (size_t)state->chunk + (size_t)state->held] = row[i];
  }
  if (++state->held < state->chunk) {
    return FF_OK;
  }
  ff_hdf5_voice voice = ff_hdf5_hush();
  state->broken = state->broken || !hdf5_flush(state);
  ff_hdf5_restore(voice);
  return state->broken ? FF_ERROR_MEMORY : FF_OK;
}

static bool hdf5_flush_table(hdf5_state *state, ff_hdf5_table *table) {
  return hdf5_reserve_image(state, ff_hdf5_table_pending(table)) == FF_OK &&
         ff_hdf5_table_flush(table);
}

static ff_status hdf5_add_to(ff_recorder *recorder, ff_table_kind kind, const void *row) {
  hdf5_state *state = recorder->state;
  ff_hdf5_table *table = state->tables[kind];
  if (table && ff_hdf5_table_add(table, row)) {
    ff_hdf5_voice voice = ff_hdf5_hush();
    state->broken = state->broken || !hdf5_flush_table(state, table);
    ff_hdf5_restore(voice);
  }
  return state->broken ? FF_ERROR_MEMORY : FF_OK;
}

/* ---- closing --------------------------------------------------------------------------------- */

static bool hdf5_close_file(hdf5_state *state) {
  bool done = true;
  for (int i = 0; i < FF_TABLE_COUNT; i++) {
    ff_hdf5_table_close(state->tables[i]);
    state->tables[i] = NULL;
  }
  for (int i = 0; i < state->set_count; i++) {
    done = ff_hdf5_close(H5Dclose, state->sets[i]) && done;
  }
  done = ff_hdf5_close(H5Gclose, state->group) && done;
  done = ff_hdf5_close(H5Fclose, state->file) && done;
  state->set_count = 0;
  state->file = state->group = -1;
  return done;
}

static void hdf5_drop(ff_recorder *recorder) {
  hdf5_state *state = recorder->state;
  if (state) {
    if (state->file >= 0) { /* else HDF5 must not start, perhaps without memory */
      ff_hdf5_voice voice = ff_hdf5_hush();
      hdf5_close_file(state);
      ff_hdf5_restore(voice);
    }
    ff_free(state->image);
    ff_free(state->spare);
    ff_free(state->buffer);
    ff_free(state->sets);
    ff_free(state);
  }
}

/* Size of the file from its superblock: 8 bytes, little-endian, at byte 28. */
static size_t hdf5_image_size(const hdf5_state *state) {
  const unsigned char *image = state->image;
  size_t size = 0;
  for (int i = 7; i >= 0; i--) {
    size = size << 8 | image[28 + i];
  }
  return size;
}

/* The file, then its checksum, which finds damage also where HDF5 has none of its own. */
static ff_status hdf5_write_image(ff_recorder *recorder) {
  const hdf5_state *state = recorder->state;
  unsigned char trailer[FF_HDF5_TRAILER_SIZE];
  size_t size = hdf5_image_size(state);
  assert(size <= state->image_room);
  uint64_t sum = ff_checksum(0, state->image, size);
  memcpy(trailer, FF_HDF5_TRAILER, 8);
  for (int i = 0; i < 8; i++) {
    trailer[8 + i] = (unsigned char)(sum >> (8 * i));
  }
  ff_status status = ff_file_write(recorder->file, state->image, size);
  return status == FF_OK ? ff_file_write(recorder->file, trailer, sizeof trailer) : status;
}

static ff_status hdf5_finish(ff_recorder *recorder, const char *summary) {
  hdf5_state *state = recorder->state;
  ff_hdf5_voice voice = ff_hdf5_hush();
  int64_t samples = recorder->rows;
  bool done = !state->broken && hdf5_flush(state) &&
              hdf5_flush_table(state, state->tables[FF_TABLE_EVENTS]) &&
              hdf5_flush_table(state, state->tables[FF_TABLE_CONTACTS]) &&
              hdf5_write_text(state->file, FF_HDF5_SUMMARY, summary) &&
              hdf5_write_attribute(state->file, FF_HDF5_SAMPLES, H5T_NATIVE_INT64, &samples) &&
              hdf5_write_text(state->file, FF_HDF5_CHECKSUM, "CRC-64/XZ, in the last 8 bytes") &&
              (!recorder->incomplete ||
               hdf5_write_text(state->file, FF_HDF5_INCOMPLETE, recorder->incomplete));
  done = hdf5_close_file(state) && done && state->image;
  ff_hdf5_restore(voice);
  ff_status status = done ? hdf5_write_image(recorder) : FF_ERROR_MEMORY;
  hdf5_drop(recorder);
  return status;
}

const ff_recorder_format ff_recorder_hdf5 = {.ending = ".h5",
                                             .begin = hdf5_begin,
                                             .add = hdf5_add,
                                             .add_to = hdf5_add_to,
                                             .finish = hdf5_finish,
                                             .drop = hdf5_drop};
