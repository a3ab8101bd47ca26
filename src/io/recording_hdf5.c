/* HDF5 reader, for files of recorder_hdf5.c; every property is checked, since the file may be
 * corrupt. */
#include <string.h>

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

static ff_status hdf5_report(const hdf5_reader *in, const char *what) {
  return ff_recording_bad(in->report, in->path, what);
}

/* Reads a text of known size. */
static ff_status hdf5_read_bytes(hid_t attribute, hid_t type, size_t size, char **out) {
  *out = ff_alloc(size + 1, 1);
  if (!*out) {
    return FF_ERROR_MEMORY;
  }
  return H5Aread(attribute, type, *out) >= 0 ? FF_OK : FF_ERROR_INPUT;
}

/* Reads a text attribute in the form of recorder_hdf5.c. */
static ff_status hdf5_read_text(const hdf5_reader *in, hid_t object, const char *name, char **out) {
  ff_status status = FF_ERROR_INPUT;
  hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
  hid_t type = H5Aget_type(attribute);
  hid_t space = H5Aget_space(attribute);
  size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
      H5Sget_simple_extent_npoints(space) == 1 && size <= in->size) {
    status = hdf5_read_bytes(attribute, type, size, out);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return status == FF_ERROR_INPUT
             ? hdf5_report(in,
                           "is not a recording: a text attribute is missing or has another type")
             : status;
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

/* Is the dataset stored in this file, with chunks of bounded size? */
static bool hdf5_is_plain(hid_t set) {
  hid_t layout = H5Dget_create_plist(set);
  hid_t type = H5Dget_type(set);
  hsize_t chunk = 0;
  bool plain = H5Pget_layout(layout) == H5D_CHUNKED && H5Pget_chunk(layout, 1, &chunk) == 1 &&
               chunk <= 1 << 20 && H5Pget_external_count(layout) == 0 &&
               H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) == sizeof(double);
  H5Tclose(type);
  H5Pclose(layout);
  return plain;
}

/* Rows of a dataset; -1 if it is not a column of numbers. */
static long hdf5_count_rows(hid_t set) {
  hid_t space = H5Dget_space(set);
  hsize_t rows = 0;
  bool column = H5Sget_simple_extent_ndims(space) == 1 &&
                H5Sget_simple_extent_dims(space, &rows, NULL) == 1 && rows < INT64_MAX;
  H5Sclose(space);
  return column ? (long)rows : -1;
}

static ff_status hdf5_read_values(const hdf5_reader *in, hid_t set, int index) {
  ff_recording *recording = in->recording;
  long rows = hdf5_is_plain(set) ? hdf5_count_rows(set) : -1;
  if (rows < 0) {
    return hdf5_report(in, "is not a recording: a channel is not a column of numbers");
  }
  if (index > 0 && rows != recording->rows) {
    return hdf5_report(in, "has channels of different length");
  }
  double claimed = (double)rows * recording->info.count * sizeof(double);
  if (claimed > (double)in->size * PACKING_MAX) {
    return hdf5_report(in, "claims more values than a file of its size can hold");
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
    return hdf5_report(in, "is not a recording: its first channel is not 'time'");
  }
  hid_t set = H5Dopen2(in->group, link, H5P_DEFAULT);
  status = set < 0 ? hdf5_report(in, "is not a recording: a channel is not a dataset")
                   : hdf5_read_values(in, set, index);
  if (status == FF_OK) {
    status = hdf5_read_text(in, set, FF_HDF5_UNIT, &in->recording->units[index]);
  }
  H5Dclose(set);
  return status;
}

static ff_status hdf5_read_channels(hdf5_reader *in) {
  H5G_info_t about = {0};
  unsigned order = 0;
  hid_t options = H5Gget_create_plist(in->group);
  H5Pget_link_creation_order(options, &order);
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

static ff_status hdf5_read_file(hdf5_reader *in, hid_t file) {
  ff_status status = hdf5_read_text(in, file, FF_HDF5_SCENE, &in->recording->scene);
  if (status == FF_OK && H5Aexists(file, FF_HDF5_FILE) > 0) { /* absent in older files */
    status = hdf5_read_text(in, file, FF_HDF5_FILE, &in->recording->file);
  }
  if (status == FF_OK) {
    status = hdf5_read_text(in, file, FF_HDF5_SUMMARY, &in->recording->summary);
  }
  if (status != FF_OK) {
    return status;
  }
  in->group = H5Gopen2(file, FF_HDF5_CHANNELS, H5P_DEFAULT);
  status = in->group < 0 ? hdf5_report(in, "is not a recording: it has no channels")
                         : hdf5_read_channels(in);
  H5Gclose(in->group);
  return status;
}

ff_status ff_recording_read_hdf5(ff_recording *recording, const char *path, ff_report *report) {
  hdf5_reader in = {.recording = recording, .path = path, .report = report};
  ff_status status = ff_file_size(&in.size, path, report);
  if (status != FF_OK) {
    return status;
  }
  ff_hdf5_voice voice = ff_hdf5_hush();
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  status =
      file < 0 ? hdf5_report(&in, "is not an HDF5 file, or is damaged") : hdf5_read_file(&in, file);
  H5Fclose(file);
  H5Pclose(access);
  ff_hdf5_restore(voice);
  return status;
}
