/* What writing and reading HDF5 share. The layout is described in docs/recordings.md. */
#ifndef FF_IO_HDF5_H
#define FF_IO_HDF5_H

#include <hdf5.h>

#define FF_HDF5_CHANNELS "channels" /* group: one 1-D dataset a channel, in order of creation */
#define FF_HDF5_UNIT     "unit"     /* its attribute */
#define FF_HDF5_VERSION  "footfall" /* attributes of the file */
#define FF_HDF5_SCENE    "scene"
#define FF_HDF5_SUMMARY  "summary"
#define FF_HDF5_SAMPLES  "samples"

/* HDF5 prints its errors unless told not to; the library never prints. */
typedef struct ff_hdf5_voice {
  H5E_auto2_t print;
  void *data;
} ff_hdf5_voice;

static inline ff_hdf5_voice ff_hdf5_hush(void) {
  ff_hdf5_voice before = {NULL, NULL};
  H5Eget_auto2(H5E_DEFAULT, &before.print, &before.data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return before;
}

static inline void ff_hdf5_restore(ff_hdf5_voice before) {
  H5Eset_auto2(H5E_DEFAULT, before.print, before.data);
}

#endif
