/* HDF5 layout shared by writing and reading; described in docs/recordings.md. */
#ifndef FF_IO_HDF5_H
#define FF_IO_HDF5_H

#include <hdf5.h>
#include <stdbool.h>
#include <string.h>

#define FF_HDF5_CHANNELS   "channels" /* group: one 1-D dataset per channel, in order of creation */
#define FF_HDF5_UNIT       "unit"     /* its attribute */
#define FF_HDF5_VERSION    "footfall" /* attributes of the file */
#define FF_HDF5_SCENE      "scene"
#define FF_HDF5_FILE       "scene-file"
#define FF_HDF5_SUMMARY    "summary"
#define FF_HDF5_SAMPLES    "samples"
#define FF_HDF5_INCOMPLETE "incomplete"
#define FF_HDF5_CHECKSUM                                                                           \
  "checksum" /* says that a trailer follows: mark, then CRC-64 of all before */
#define FF_HDF5_TRAILER "ffcrc64\n"
enum { FF_HDF5_TRAILER_SIZE = 8 + 8 };

/* Bytes that HDF5 needs for its start and its tables; it crashes without them. */
enum { FF_HDF5_MEMORY = 8 << 20 };

/* A slash would make a group of a dataset's name: it is written as %2F, and a percent sign as %25.
 * link has space for three times the name. */
static inline void ff_hdf5_link_name(const char *name, char *link) {
  for (; *name; name++) {
    bool coded = *name == '/' || *name == '%';
    *link++ = coded ? '%' : *name;
    if (coded) {
      *link++ = '2';
      *link++ = *name == '/' ? 'F' : '5';
    }
  }
  *link = 0;
}

/* Decodes the name of a channel from its link, in place. */
static inline void ff_hdf5_channel_name(char *link) {
  char *to = link;
  for (; *link; link++) {
    bool slash = strncmp(link, "%2F", 3) == 0, percent = strncmp(link, "%25", 3) == 0;
    *to++ = slash ? '/' : *link; /* %25 begins with the character it encodes */
    link += slash || percent ? 2 : 0;
  }
  *to = 0;
}

/* HDF5 prints its errors by default; the library never prints. */
typedef struct ff_hdf5_voice {
  H5E_auto2_t print;
  void *data;
} ff_hdf5_voice;

/* Also disables the cleanup of HDF5 at exit: after a failure inside HDF5 it crashes or hangs. */
static inline ff_hdf5_voice ff_hdf5_hush(void) {
  ff_hdf5_voice before = {NULL, NULL};
  H5dont_atexit(); /* no effect once HDF5 is in use */
  H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

static inline void ff_hdf5_restore(ff_hdf5_voice before) {
  H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
}

/* Closes an open object; false: it was not open, or closing failed. */
static inline bool ff_hdf5_close(herr_t (*close)(hid_t), hid_t id) {
  return id >= 0 && close(id) >= 0;
}

static inline herr_t ff_hdf5_find_memory(unsigned n, const H5E_error2_t *error, void *found) {
  (void)n;
  *(bool *)found = *(bool *)found || error->maj_num == H5E_RESOURCE ||
                   error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC;
  return 0;
}

/* Did the last call fail because memory was exhausted? */
static inline bool ff_hdf5_lacks_memory(void) {
  bool found = false;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, ff_hdf5_find_memory, &found);
  return found;
}

#endif
