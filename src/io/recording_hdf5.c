/* Reads the HDF5 that recorder_hdf5.c writes, and trusts none of it. */
#include <string.h>

#include "base/memory.h"
#include "io/hdf5.h"
#include "io/recorder.h"

/* zlib packs at most 1032 to 1: a file that claims more lies. */
enum { PACKING_MAX = 1100 };

typedef struct hdf5_reader {
  ff_recording *recording;
  const char *path;
  ff_report *report;
  hid_t group;
  H5_index_t order; /* how channels are counted: by creation if the file knows it */
  size_t size;      /* of the file, bytes */
} hdf5_reader;

/* Right after the call that failed: if that was for want of memory, the file may be good. */
static ff_status bad(const hdf5_reader *in, const char *what) {
  return ff_hdf5_lacks_memory() ? FF_ERROR_MEMORY : ff_recording_bad(in->report, in->path, what);
}

/* Reads a text of a known size. */
static ff_status read_bytes(const hdf5_reader *in, hid_t attribute, hid_t type, size_t size,
                            char **out) {
  *out = ff_alloc(size + 1, 1);
  if (!*out) {
    return FF_ERROR_MEMORY;
  }
  return H5Aread(attribute, type, *out) >= 0 ? FF_OK : bad(in, "is damaged: a text cannot be read");
}

/* A text attribute, as recorder_hdf5.c writes them. */
static ff_status read_text(const hdf5_reader *in, hid_t object, const char *name, char **out) {
  static const char *const what = "is no recording: a text is missing or of another type";
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = -1, space = -1;
  ff_status status = attribute < 0 ? bad(in, what) : FF_OK;
  if (status == FF_OK) {
    type = H5Aget_type(attribute);
    status = type < 0 ? bad(in, what) : FF_OK;
  }
  if (status == FF_OK) {
    space = H5Aget_space(attribute);
    status = space < 0 ? bad(in, what) : FF_OK;
  }
  if (status == FF_OK) {
    size_t size = H5Tget_size(type);
    bool text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1 && size <= in->size;
    status = text ? read_bytes(in, attribute, type, size, out) : bad(in, what);
  }
  ff_hdf5_close(H5Sclose, space);
  ff_hdf5_close(H5Tclose, type);
  ff_hdf5_close(H5Aclose, attribute);
  return status;
}

/* One channel's name; its link must lead nowhere but into this file. */
/* link has room for 3 * FF_RECORDING_NAME_MAX letters. */
static ff_status read_name(const hdf5_reader *in, int index, char *link_name) {
  H5L_info_t link;
  if (H5Lget_info_by_idx(in->group, ".", in->order, H5_ITER_INC, (hsize_t)index, &link,
                         H5P_DEFAULT) < 0 ||
      link.type != H5L_TYPE_HARD) {
    return bad(in, "is no recording: a channel is a link");
  }
  ssize_t length = H5Lget_name_by_idx(in->group, ".", in->order, H5_ITER_INC, (hsize_t)index,
                                      link_name, 3 * FF_RECORDING_NAME_MAX, H5P_DEFAULT);
  if (length <= 0 || length >= 3 * FF_RECORDING_NAME_MAX) {
    return bad(in, "is no recording: a channel's name cannot be read");
  }
  char *name = ff_strdup(link_name);
  if (!name) {
    return FF_ERROR_MEMORY;
  }
  ff_hdf5_channel_name(name);
  in->recording->names[index] = name;
  return FF_OK;
}

/* Are the values in this file, and in pieces of a size that is no trap? */
static ff_status check_layout(const hdf5_reader *in, hid_t set) {
  static const char *const what = "is no recording: a channel is not a column of numbers";
  hsize_t chunk = 0;
  hid_t layout = H5Dget_create_plist(set);
  if (layout < 0) {
    return bad(in, what);
  }
  bool plain = H5Pget_layout(layout) == H5D_CHUNKED && H5Pget_chunk(layout, 1, &chunk) == 1 &&
               chunk <= 1 << 20 && H5Pget_external_count(layout) == 0;
  ff_status status = plain ? FF_OK : bad(in, what);
  H5Pclose(layout);
  hid_t type = status == FF_OK ? H5Dget_type(set) : -1;
  if (status == FF_OK && type < 0) {
    return bad(in, what);
  }
  bool number = type >= 0 && H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == sizeof(double);
  status = status == FF_OK && !number ? bad(in, what) : status;
  ff_hdf5_close(H5Tclose, type);
  return status;
}

/* Rows of a dataset, which is a column of numbers. */
static ff_status count_rows(const hdf5_reader *in, hid_t set, long *out) {
  static const char *const what = "is no recording: a channel is not a column of numbers";
  hsize_t rows = 0;
  hid_t space = H5Dget_space(set);
  if (space < 0) {
    return bad(in, what);
  }
  bool column = H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_dims(space, &rows, NULL) == 1 && rows < INT64_MAX;
  ff_status status = column ? FF_OK : bad(in, what);
  H5Sclose(space);
  *out = (long)rows;
  return status;
}

static ff_status read_values(const hdf5_reader *in, hid_t set, int index) {
  ff_recording *recording = in->recording;
  long rows = 0;
  ff_status status = check_layout(in, set);
  status = status == FF_OK ? count_rows(in, set, &rows) : status;
  if (status != FF_OK) {
    return status;
  }
  if (index > 0 && rows != recording->rows) {
    return ff_recording_bad(in->report, in->path, "has channels of different length");
  }
  double claimed = (double)rows * recording->info.count * sizeof(double);
  if (claimed > (double)in->size * PACKING_MAX) {
    return ff_recording_bad(in->report, in->path,
                            "claims more values than a file of its size can hold");
  }
  recording->rows = rows;
  recording->columns[index] = ff_alloc((size_t)rows, sizeof(double));
  if (!recording->columns[index]) {
    return FF_ERROR_MEMORY;
  }
  if (H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, recording->columns[index]) <
      0) {
    return bad(in, "is damaged: a channel cannot be read");
  }
  return FF_OK;
}

static ff_status read_channel(const hdf5_reader *in, int index) {
  char link[3 * FF_RECORDING_NAME_MAX];
  ff_status status = read_name(in, index, link);
  if (status != FF_OK) {
    return status;
  }
  if (index == 0 && strcmp(in->recording->names[0], "time") != 0) {
    return ff_recording_bad(in->report, in->path,
                            "is no recording: its first channel is not 'time'");
  }
  hid_t set = H5Dopen2(in->group, link, H5P_DEFAULT);
  status = set < 0 ? bad(in, "is no recording: a channel is not a dataset")
                   : read_values(in, set, index);
  if (status == FF_OK) {
    status = read_text(in, set, FF_HDF5_UNIT, &in->recording->units[index]);
  }
  ff_hdf5_close(H5Dclose, set);
  return status;
}

static ff_status read_channels(hdf5_reader *in) {
  H5G_info_t about = {0};
  unsigned order = 0;
  hid_t options = H5Gget_create_plist(in->group);
  if (options < 0 || H5Pget_link_creation_order(options, &order) < 0) {
    ff_status status = bad(in, "is damaged: its channels cannot be listed");
    ff_hdf5_close(H5Pclose, options);
    return status;
  }
  H5Pclose(options);
  in->order = order & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  if (H5Gget_info(in->group, &about) < 0 || about.nlinks < 1 ||
      about.nlinks > FF_RECORDING_CHANNELS_MAX) {
    return bad(in, "is no recording: it has no channels");
  }
  int count = (int)about.nlinks;
  ff_status status = ff_recording_reserve(in->recording, count);
  for (int i = 0; i < count && status == FF_OK; i++) {
    status = read_channel(in, i);
  }
  return status;
}

static ff_status read_file(hdf5_reader *in, hid_t file) {
  ff_status status = read_text(in, file, FF_HDF5_SCENE, &in->recording->scene);
  htri_t has_file = status == FF_OK ? H5Aexists(file, FF_HDF5_FILE) : 0;
  if (has_file < 0) {
    return bad(in, "is damaged: its texts cannot be listed");
  }
  if (has_file > 0) { /* older ones have none */
    status = read_text(in, file, FF_HDF5_FILE, &in->recording->file);
  }
  if (status == FF_OK) {
    status = read_text(in, file, FF_HDF5_SUMMARY, &in->recording->summary);
  }
  if (status != FF_OK) {
    return status;
  }
  in->group = H5Gopen2(file, FF_HDF5_CHANNELS, H5P_DEFAULT);
  status = in->group < 0 ? bad(in, "is no recording: it has no channels") : read_channels(in);
  ff_hdf5_close(H5Gclose, in->group);
  return status;
}

ff_status ff_recording_read_hdf5(ff_recording *recording, const char *path, ff_report *report) {
  hdf5_reader in = {.recording = recording, .path = path, .report = report};
  ff_status status = ff_file_size(&in.size, path, report);
  if (status == FF_OK && !ff_memory_is_there(FF_HDF5_MEMORY)) {
    status = FF_ERROR_MEMORY;
  }
  if (status != FF_OK) {
    return status;
  }
  ff_hdf5_voice voice = ff_hdf5_hush();
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
  if (access < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0) {
    status = FF_ERROR_MEMORY;
  } else {
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    status = file < 0 ? bad(&in, "is not an HDF5 file, or is damaged") : read_file(&in, file);
  }
  ff_hdf5_close(H5Fclose, file);
  ff_hdf5_close(H5Pclose, access);
  ff_hdf5_restore(voice);
  return status;
}
