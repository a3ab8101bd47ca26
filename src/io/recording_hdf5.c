/* HDF5 reader, for files of recorder_hdf5.c; every property is checked, since the file may be
 * corrupt. */
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "io/hdf5.h"
#include "io/recorder.h"

/* zlib compresses at most 1032 to 1: a larger claim is corrupt. */
enum { PACKING_MAX = 1100 };

typedef struct hdf5_reader {
  ff_recording *recording;
  const char *path;
  ff_report *report;
  hid_t group;
  H5_index_t order; /* index of the channels: creation order if the file has it */
  size_t size;      /* of the file, bytes */
} hdf5_reader;

/* Called right after a failed call: if memory was exhausted, the file may be good. */
static ff_status hdf5_report(const hdf5_reader *in, const char *what) {
  return ff_hdf5_lacks_memory() ? FF_ERROR_MEMORY : ff_recording_bad(in->report, in->path, what);
}

/* Reads a text of known size. */
static ff_status hdf5_read_bytes(const hdf5_reader *in, hid_t attribute, hid_t type, size_t size,
                                 char **out) {
  *out = ff_alloc(size + 1, 1);
  if (!*out) {
    return FF_ERROR_MEMORY;
  }
  return H5Aread(attribute, type, *out) >= 0 ? FF_OK
                                             : hdf5_report(in, "is damaged: a text cannot be read");
}

/* Reads a text attribute in the form of recorder_hdf5.c. */
static ff_status hdf5_read_text(const hdf5_reader *in, hid_t object, const char *name, char **out) {
  static const char *const what =
      "is not a recording: a text attribute is missing or has another type";
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = -1, space = -1;
  ff_status status = attribute < 0 ? hdf5_report(in, what) : FF_OK;
  if (status == FF_OK) {
    type = H5Aget_type(attribute);
    status = type < 0 ? hdf5_report(in, what) : FF_OK;
  }
  if (status == FF_OK) {
    space = H5Aget_space(attribute);
    status = space < 0 ? hdf5_report(in, what) : FF_OK;
  }
  if (status == FF_OK) {
    size_t size = H5Tget_size(type);
    bool text = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
                H5Sget_simple_extent_npoints(space) == 1 && size <= in->size;
    status = text ? hdf5_read_bytes(in, attribute, type, size, out) : hdf5_report(in, what);
  }
  ff_hdf5_close(H5Sclose, space);
  ff_hdf5_close(H5Tclose, type);
  ff_hdf5_close(H5Aclose, attribute);
  return status;
}

/* Reads a channel's name; soft and external links are rejected. */
/* link_name: space for 3 * FF_RECORDING_NAME_MAX bytes. */
static ff_status hdf5_read_name(const hdf5_reader *in, int index, char *link_name) {
  H5L_info_t link;
  if (H5Lget_info_by_idx(in->group, ".", in->order, H5_ITER_INC, (hsize_t)index, &link,
                         H5P_DEFAULT) < 0 ||
      link.type != H5L_TYPE_HARD) {
    return hdf5_report(in, "is not a recording: a channel is a link");
  }
  ssize_t length = H5Lget_name_by_idx(in->group, ".", in->order, H5_ITER_INC, (hsize_t)index,
                                      link_name, 3 * FF_RECORDING_NAME_MAX, H5P_DEFAULT);
  if (length <= 0 || length >= 3 * FF_RECORDING_NAME_MAX) {
    return hdf5_report(in, "is not a recording: the name of a channel cannot be read");
  }
  char *name = ff_strdup(link_name);
  if (!name) {
    return FF_ERROR_MEMORY;
  }
  ff_hdf5_channel_name(name);
  in->recording->names[index] = name;
  return FF_OK;
}

/* Rejects a dataset that is not stored in this file with chunks of bounded size. */
static ff_status hdf5_check_layout(const hdf5_reader *in, hid_t set) {
  static const char *const what = "is not a recording: a channel is not a column of numbers";
  hsize_t chunk = 0;
  hid_t layout = H5Dget_create_plist(set);
  if (layout < 0) {
    return hdf5_report(in, what);
  }
  bool plain = H5Pget_layout(layout) == H5D_CHUNKED && H5Pget_chunk(layout, 1, &chunk) == 1 &&
               chunk <= 1 << 20 && H5Pget_external_count(layout) == 0;
  ff_status status = plain ? FF_OK : hdf5_report(in, what);
  H5Pclose(layout);
  hid_t type = status == FF_OK ? H5Dget_type(set) : -1;
  if (status == FF_OK && type < 0) {
    return hdf5_report(in, what);
  }
  bool number = type >= 0 && H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == sizeof(double);
  status = status == FF_OK && !number ? hdf5_report(in, what) : status;
  ff_hdf5_close(H5Tclose, type);
  return status;
}

/* Rows of a dataset, which must be a column of numbers. */
static ff_status hdf5_count_rows(const hdf5_reader *in, hid_t set, long *out) {
  static const char *const what = "is not a recording: a channel is not a column of numbers";
  hsize_t rows = 0;
  hid_t space = H5Dget_space(set);
  if (space < 0) {
    return hdf5_report(in, what);
  }
  bool column = H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_dims(space, &rows, NULL) == 1 && rows < INT64_MAX;
  ff_status status = column ? FF_OK : hdf5_report(in, what);
  H5Sclose(space);
  *out = (long)rows;
  return status;
}

static ff_status hdf5_read_values(const hdf5_reader *in, hid_t set, int index) {
  ff_recording *recording = in->recording;
  long rows = 0;
  ff_status status = hdf5_check_layout(in, set);
  status = status == FF_OK ? hdf5_count_rows(in, set, &rows) : status;
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
    return hdf5_report(in, "is damaged: a channel cannot be read");
  }
  return FF_OK;
}

static ff_status hdf5_read_channel(const hdf5_reader *in, int index) {
  char link[3 * FF_RECORDING_NAME_MAX];
  ff_status status = hdf5_read_name(in, index, link);
  if (status != FF_OK) {
    return status;
  }
  if (index == 0 && strcmp(in->recording->names[0], "time") != 0) {
    return ff_recording_bad(in->report, in->path,
                            "is not a recording: its first channel is not 'time'");
  }
  hid_t set = H5Dopen2(in->group, link, H5P_DEFAULT);
  status = set < 0 ? hdf5_report(in, "is not a recording: a channel is not a dataset")
                   : hdf5_read_values(in, set, index);
  if (status == FF_OK) {
    status = hdf5_read_text(in, set, FF_HDF5_UNIT, &in->recording->units[index]);
  }
  ff_hdf5_close(H5Dclose, set);
  return status;
}

static ff_status hdf5_read_channels(hdf5_reader *in) {
  H5G_info_t about = {0};
  unsigned order = 0;
  hid_t options = H5Gget_create_plist(in->group);
  if (options < 0 || H5Pget_link_creation_order(options, &order) < 0) {
    ff_status status = hdf5_report(in, "is damaged: its channels cannot be listed");
    ff_hdf5_close(H5Pclose, options);
    return status;
  }
  H5Pclose(options);
  in->order = order & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  if (H5Gget_info(in->group, &about) < 0 || about.nlinks < 1 ||
      about.nlinks > FF_RECORDING_CHANNELS_MAX) {
    return hdf5_report(in, "is not a recording: it has no channels");
  }
  int count = (int)about.nlinks;
  ff_status status = ff_recording_reserve(in->recording, count);
  for (int i = 0; i < count && status == FF_OK; i++) {
    status = hdf5_read_channel(in, i);
  }
  return status;
}

/* Compares the file with its checksum. One without it is an older one, or was changed by another
 * program, which the attribute tells: readable, but not marked as whole. */
static ff_status hdf5_check_sum(hdf5_reader *in, bool *sealed) {
  unsigned char trailer[FF_HDF5_TRAILER_SIZE];
  uint64_t sum = 0, told = 0;
  *sealed = false;
  if (in->size < sizeof trailer) {
    return FF_OK;
  }
  ff_status status = ff_file_checksum(in->path, in->size - sizeof trailer, &sum, trailer,
                                      sizeof trailer, in->report);
  if (status != FF_OK || memcmp(trailer, FF_HDF5_TRAILER, 8) != 0) {
    return status;
  }
  for (int i = 7; i >= 0; i--) {
    told = told << 8 | trailer[8 + i];
  }
  *sealed = true;
  return sum == told ? FF_OK
                     : ff_recording_bad(in->report, in->path, "is damaged: its checksum is wrong");
}

/* Of a file that lost its checksum: as incomplete, with the reason. */
static ff_status hdf5_check_seal(const hdf5_reader *in, hid_t file, bool sealed) {
  htri_t promised = H5Aexists(file, FF_HDF5_CHECKSUM);
  if (promised < 0) {
    return hdf5_report(in, "is damaged: its texts cannot be listed");
  }
  if (promised > 0 && !sealed && !in->recording->incomplete) {
    in->recording->incomplete =
        ff_strdup("its checksum is missing: it was changed by another program, or damaged");
    return in->recording->incomplete ? FF_OK : FF_ERROR_MEMORY;
  }
  return FF_OK;
}

static ff_status hdf5_read_file(hdf5_reader *in, hid_t file) {
  ff_status status = hdf5_read_text(in, file, FF_HDF5_SCENE, &in->recording->scene);
  htri_t has_file = status == FF_OK ? H5Aexists(file, FF_HDF5_FILE) : 0;
  if (has_file < 0) {
    return hdf5_report(in, "is damaged: its texts cannot be listed");
  }
  if (has_file > 0) { /* absent in older files */
    status = hdf5_read_text(in, file, FF_HDF5_FILE, &in->recording->file);
  }
  if (status == FF_OK) {
    status = hdf5_read_text(in, file, FF_HDF5_SUMMARY, &in->recording->summary);
  }
  htri_t cut = status == FF_OK ? H5Aexists(file, FF_HDF5_INCOMPLETE) : 0;
  if (cut < 0) {
    return hdf5_report(in, "is damaged: its texts cannot be listed");
  }
  if (cut > 0) {
    status = hdf5_read_text(in, file, FF_HDF5_INCOMPLETE, &in->recording->incomplete);
  }
  if (status != FF_OK) {
    return status;
  }
  in->group = H5Gopen2(file, FF_HDF5_CHANNELS, H5P_DEFAULT);
  status = in->group < 0 ? hdf5_report(in, "is not a recording: it has no channels")
                         : hdf5_read_channels(in);
  ff_hdf5_close(H5Gclose, in->group);
  return status;
}

ff_status ff_recording_read_hdf5(ff_recording *recording, const char *path, ff_report *report) {
  hdf5_reader in = {.recording = recording, .path = path, .report = report};
  bool sealed = false;
  ff_status status = ff_file_size(&in.size, path, report);
  status = status == FF_OK ? hdf5_check_sum(&in, &sealed) : status;
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
    status = file < 0 ? hdf5_report(&in, "is not an HDF5 file, or is damaged")
                      : hdf5_read_file(&in, file);
    status = status == FF_OK ? hdf5_check_seal(&in, file, sealed) : status;
  }
  ff_hdf5_close(H5Fclose, file);
  ff_hdf5_close(H5Pclose, access);
  ff_hdf5_restore(voice);
  return status;
}
