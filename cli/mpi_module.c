/* Module footfall-mpi.so: messages between the processes of a sweep, by MPI. */
#include <mpi.h>

#include "sweep.h"

__attribute__((visibility("default"))) int footfall_mpi_open(ff_sweep_transport *out);

static void mpi_send(int to, const void *bytes, int size) {
  MPI_Send(bytes, size, MPI_BYTE, to, 0, MPI_COMM_WORLD);
}

static int mpi_probe(int *from) {
  int there = 0, size = -1;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
  if (there) {
    MPI_Get_count(&status, MPI_BYTE, &size);
    *from = status.MPI_SOURCE;
  }
  return size;
}

static void mpi_receive(int from, void *bytes, int size) {
  MPI_Recv(bytes, size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void mpi_finish(void) {
  MPI_Finalize();
}

static void mpi_abandon(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

int footfall_mpi_open(ff_sweep_transport *out) {
  int level;
  *out = (ff_sweep_transport){.send = mpi_send,
                              .probe = mpi_probe,
                              .receive = mpi_receive,
                              .finish = mpi_finish,
                              .abandon = mpi_abandon};
  if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS ||
      level < MPI_THREAD_FUNNELED) {
    return 1;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &out->size);
  return 0;
}
