#include "base/team.h"

#include "base/effort.h"
#include "base/memory.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

/* Spins of a waiting thread before it yields the processor, some tens of microseconds; and between
 * two yields from then on. */
enum { SPINS = 2000, SPINS_AGAIN = 64 };

/* State of the current job in one atomic number: job number in the upper half, index of its next
 * chunk in the lower half. A thread takes a chunk by incrementing it, if the ticket has not changed
 * since the job was read; a late thread therefore finds no chunk, and no thread waits for it. While
 * a new job is set up the ticket is closed: its chunk index is beyond any count. */
typedef uint64_t ticket;

#define CLOSED UINT32_MAX

struct ff_team {
  int others; /* threads besides the caller */
  pthread_t thread[FF_TEAM_MOST];
  /* the job; set before its ticket */
  _Atomic(ff_team_body *) part;
  _Atomic(void *) context;
  atomic_int count, chunk;
  _Atomic ticket next;
  atomic_int left;    /* chunks that are not finished */
  atomic_long effort; /* work of the other threads on finished chunks */
  /* sleeping threads, woken by a new job or at the end */
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  atomic_int asleep;
  atomic_bool awake; /* between ff_team_begin and ff_team_end */
  atomic_bool over;
};

static uint32_t job_of(ticket t) {
  return (uint32_t)(t >> 32);
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/* Takes the next chunk and runs it. False: none is left. */
static bool run_chunk(ff_team *team, bool another) {
  ticket t = atomic_load(&team->next);
  int64_t chunk = atomic_load(&team->chunk), count = atomic_load(&team->count);
  int64_t first = (int64_t)(t & UINT32_MAX) * chunk;
  ff_team_body *part = atomic_load(&team->part);
  void *context = atomic_load(&team->context);
  if (first >= count) {
    return false;
  }
  if (!atomic_compare_exchange_strong(&team->next, &t, t + 1)) {
    return true; /* another thread took it */
  }
  long before = ff_effort;
  part(context, (int)first, (int)(count - first < chunk ? count : first + chunk));
  if (another) {
    atomic_fetch_add(&team->effort, ff_effort - before);
  }
  atomic_fetch_sub(&team->left, 1);
  return true;
}

static void spin_once(int *spins) {
  ++*spins;
  if (*spins >= SPINS) {
    *spins = SPINS - SPINS_AGAIN;
    sched_yield();
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/* ---- the other threads ----------------------------------------------------------------------- */

static bool is_waiting(ff_team *team, uint32_t job) {
  return job_of(atomic_load(&team->next)) == job && !atomic_load(&team->over);
}

/* Waits for a job other than this one: spins for a while, then sleeps. */
static void wait_for_job(ff_team *team, uint32_t job) {
  int spins = 0;
  for (int i = 0; is_waiting(team, job) && (i < SPINS || atomic_load(&team->awake)); i++) {
    spin_once(&spins);
    i = i < SPINS ? i : SPINS; /* no end while awake */
  }
  if (is_waiting(team, job)) {
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->asleep, 1);
    while (is_waiting(team, job) && !atomic_load(&team->awake)) {
      pthread_cond_wait(&team->wake, &team->mutex);
    }
    atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->mutex);
  }
}

static void *worker_main(void *context) {
  ff_team *team = context;
  uint32_t job = 0;
  while (!atomic_load(&team->over)) {
    wait_for_job(team, job);
    job = job_of(atomic_load(&team->next));
    while (run_chunk(team, true)) {
    }
  }
  return NULL;
}

static void wake_workers(ff_team *team) {
  if (atomic_load(&team->asleep) > 0) {
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
  }
}

/* ---- the caller ------------------------------------------------------------------------------ */

/* Starts a thread with all signals blocked: signals are for the calling thread. */
static bool start_worker(ff_team *team, pthread_t *thread) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(thread, NULL, worker_main, team) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

ff_status ff_team_create(ff_team **out, int threads) {
  *out = NULL;
  ff_team *team = ff_alloc(1, sizeof *team);
  if (!team) {
    return FF_ERROR_MEMORY;
  }
  pthread_mutex_init(&team->mutex, NULL); /* cannot fail without attributes */
  pthread_cond_init(&team->wake, NULL);
  for (int i = 1; i < threads; i++) {
    if (!start_worker(team, &team->thread[team->others])) {
      ff_team_destroy(team);
      return FF_ERROR_MEMORY;
    }
    team->others++;
  }
  *out = team;
  return FF_OK;
}

void ff_team_destroy(ff_team *team) {
  if (!team) {
    return;
  }
  atomic_store(&team->over, true);
  wake_workers(team);
  for (int i = 0; i < team->others; i++) {
    pthread_join(team->thread[i], NULL);
  }
  pthread_cond_destroy(&team->wake);
  pthread_mutex_destroy(&team->mutex);
  ff_free(team);
}

static void run_job(ff_team *team, ff_team_body *part, void *context, int count, int chunk) {
  ticket job = (ticket)job_of(atomic_load(&team->next)) << 32;
  atomic_store(&team->next, job | CLOSED);
  atomic_store(&team->part, part);
  atomic_store(&team->context, context);
  atomic_store(&team->count, count);
  atomic_store(&team->chunk, chunk);
  atomic_store(&team->effort, 0);
  atomic_store(&team->left, (count - 1) / chunk + 1);
  atomic_store(&team->next, job + ((ticket)1 << 32));
  wake_workers(team);
  while (run_chunk(team, false)) {
  }
  for (int spins = 0; atomic_load(&team->left) > 0;) {
    spin_once(&spins);
  }
  ff_effort += atomic_load(&team->effort);
}

void ff_team_begin(ff_team *team) {
  if (team) {
    atomic_store(&team->awake, true);
    wake_workers(team);
  }
}

void ff_team_end(ff_team *team) {
  if (team) {
    atomic_store(&team->awake, false);
  }
}

void ff_team_for(ff_team *team, ff_team_body *part, void *context, int count, int chunk) {
  if (team && team->others > 0 && count > chunk) {
    run_job(team, part, context, count, chunk);
    return;
  }
  for (int first = 0; first < count; first += chunk) {
    part(context, first, count - first < chunk ? count : first + chunk);
  }
}

enum { COPY_BLOCK = 4096, COPY_CHUNK = 16 }; /* bytes; blocks that one thread takes at a time */

typedef struct copy_job {
  char *to;
  const char *from;
  size_t bytes;
} copy_job;

static void copy_blocks(void *context, int first, int end) {
  const copy_job *job = context;
  size_t start = (size_t)first * COPY_BLOCK, stop = (size_t)end * COPY_BLOCK;
  stop = stop < job->bytes ? stop : job->bytes;
  memcpy(job->to + start, job->from + start, stop - start);
}

void ff_team_copy(ff_team *team, void *to, const void *from, size_t bytes) {
  copy_job job = {to, from, bytes};
  size_t blocks = bytes / COPY_BLOCK + 1;
  if (!team || blocks <= COPY_CHUNK || blocks > INT_MAX) {
    memcpy(to, from, bytes);
    return;
  }
  ff_team_for(team, copy_blocks, &job, (int)blocks, COPY_CHUNK);
}
