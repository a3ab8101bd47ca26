/* A model of MuJoCo from MJCF in memory. */
#ifndef FF_BENCH_MUJOCO_PEER_H
#define FF_BENCH_MUJOCO_PEER_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mujoco/mujoco.h>

/* Ends the program with the peer's own words if it does not like the text. */
static inline mjModel *mujoco_model_of(const char *text) {
  static const char name[] = "bench.xml";
  char error[1000] = "there is no memory for it";
  mjVFS *files = malloc(sizeof *files);
  mjModel *model = NULL;
  if (files) {
    mj_defaultVFS(files);
    int size = (int)strlen(text);
    if (mj_makeEmptyFileVFS(files, name, size) == 0) {
      memcpy(files->filedata[mj_findFileVFS(files, name)], text, (size_t)size);
      model = mj_loadXML(name, files, error, sizeof error);
    }
    mj_deleteVFS(files);
    free(files);
  }
  if (!model) {
    fprintf(stderr, "MuJoCo cannot read its model: %s\n", error);
    exit(1);
  }
  return model;
}

#endif
