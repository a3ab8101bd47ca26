/* Processes of one sweep: the MPI library is used through a module that is loaded only when the
 * program was started by mpiexec or srun, so that nothing else depends on it. */
#include "sweep.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char module[] = "footfall-mpi.so";

/* Number of processes that a launcher announces; 0: none. */
static long sweep_announced(const char *name) {
  const char *text = getenv(name);
  return text ? strtol(text, NULL, 10) : 0;
}

bool ff_sweep_is_parallel(void) {
  return sweep_announced("PMI_SIZE") > 0 || sweep_announced("OMPI_COMM_WORLD_SIZE") > 0 ||
         getenv("PMIX_RANK") != NULL ||
         (sweep_announced("SLURM_NTASKS") > 1 && getenv("SLURM_PROCID") && getenv("PMI_FD"));
}

/* Processes that the launcher says it has started; 0: it does not say. */
static long sweep_launched(void) {
  long mpich = sweep_announced("PMI_SIZE"), open_mpi = sweep_announced("OMPI_COMM_WORLD_SIZE");
  return mpich > open_mpi ? mpich : open_mpi;
}

/* The module lies beside the program, or is installed in ../lib/footfall. */
static void *sweep_load_module(void) {
  char path[4096 + sizeof module + 32];
  ssize_t length = readlink("/proc/self/exe", path, 4096);
  if (length <= 0) {
    return NULL;
  }
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  size_t room = sizeof path - (size_t)(slash + 1 - path);
  snprintf(slash + 1, room, "%s", module);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(slash + 1, room, "../lib/footfall/%s", module);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  return library;
}

ff_status ff_sweep_transport_open(ff_sweep_transport *out, ff_report *report) {
  void *library = sweep_load_module();
  void *symbol = library ? dlsym(library, "footfall_mpi_open") : NULL;
  memset(report, 0, sizeof *report);
  if (!symbol) {
    snprintf(report->what, sizeof report->what,
             "started by mpiexec, but built without MPI: install libmpich-dev and mpich, then run "
             "./dev build");
    return FF_ERROR_INPUT;
  }
  int (*open)(ff_sweep_transport *);
  memcpy(&open, &symbol, sizeof open); /* ISO C has no cast from an object to a function */
  if (open(out) != 0) {
    snprintf(report->what, sizeof report->what, "MPI could not be started");
    return FF_ERROR_STEP;
  }
  if (out->size == 1 && sweep_launched() > 1) { /* each would do the whole sweep */
    snprintf(report->what, sizeof report->what,
             "mpiexec started %ld processes that cannot reach each other: it belongs to another "
             "MPI than the program (MPICH): use mpiexec.mpich or mpiexec.hydra",
             sweep_launched());
    return FF_ERROR_INPUT;
  }
  return FF_OK;
}
