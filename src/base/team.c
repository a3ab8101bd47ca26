#include "base/team.h"

#include "base/effort.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>

/* How often who waits looks before it lets others have the processor: some tens of microseconds. */
enum { LOOKS = 2000 };

/* What is to be done, and how far it is taken: the number of the job in the upper half, that of its
 * next piece in the lower. Who takes a piece adds one, if the ticket still is what it was before
 * the job was read; so a thread that comes late finds nothing left, and nobody waits for it. While
 * a new job is written down the ticket is closed: its piece is beyond any. */
typedef uint64_t ticket;

#define CLOSED UINT32_MAX

struct ff_team {
  int others; /* threads beside the caller */
  pthread_t thread[FF_TEAM_MOST];
  /* the job: set before its ticket is */
  _Atomic(ff_team_part *) part;
  _Atomic(void *) context;
  atomic_int count, piece;
  _Atomic ticket next;
  atomic_int left;    /* pieces that are not done */
  atomic_long effort; /* of others for those that are */
  /* who sleeps until there is a new one, or all is over */
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  atomic_int asleep;
  atomic_bool over;
};

static uint32_t job_of(ticket t) {
  return (uint32_t)(t >> 32);
}

/* ---- work ------------------------------------------------------------------------------------ */

/* Takes a piece and does it. False: there is none. */
static bool help(ff_team *team, bool another) {
  ticket t = atomic_load(&team->next);
  int64_t piece = atomic_load(&team->piece), count = atomic_load(&team->count);
  int64_t first = (int64_t)(t & UINT32_MAX) * piece;
  ff_team_part *part = atomic_load(&team->part);
  void *context = atomic_load(&team->context);
  if (first >= count) {
    return false;
  }
  if (!atomic_compare_exchange_strong(&team->next, &t, t + 1)) {
    return true; /* somebody else took it */
  }
  long before = ff_effort;
  part(context, (int)first, (int)(count - first < piece ? count : first + piece));
  if (another) {
    atomic_fetch_add(&team->effort, ff_effort - before);
  }
  atomic_fetch_sub(&team->left, 1);
  return true;
}

static void look_again(int *looks) {
  if (++*looks % LOOKS == 0) {
    sched_yield();
  }
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/* ---- the other threads -------------------------------------------------------------------------
 */

static bool is_idle(ff_team *team, uint32_t job) {
  return job_of(atomic_load(&team->next)) == job && !atomic_load(&team->over);
}

/* Until there is another job than this: looks for a while, then sleeps. */
static void wait_for_job(ff_team *team, uint32_t job) {
  for (int looks = 0; looks < LOOKS && is_idle(team, job);) {
    look_again(&looks);
  }
  if (is_idle(team, job)) {
    pthread_mutex_lock(&team->mutex);
    atomic_fetch_add(&team->asleep, 1);
    while (is_idle(team, job)) {
      pthread_cond_wait(&team->wake, &team->mutex);
    }
    atomic_fetch_sub(&team->asleep, 1);
    pthread_mutex_unlock(&team->mutex);
  }
}

static void *live(void *context) {
  ff_team *team = context;
  uint32_t job = 0;
  while (!atomic_load(&team->over)) {
    wait_for_job(team, job);
    job = job_of(atomic_load(&team->next));
    while (help(team, true)) {
    }
  }
  return NULL;
}

static void wake(ff_team *team) {
  if (atomic_load(&team->asleep) > 0) {
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&team->wake);
    pthread_mutex_unlock(&team->mutex);
  }
}

/* ---- the caller -------------------------------------------------------------------------------
 */

/* A thread that no signal interrupts: those are for who called. */
static bool start(ff_team *team, pthread_t *thread) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(thread, NULL, live, team) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

ff_status ff_team_create(ff_team **out, int threads) {
  *out = NULL;
  ff_team *team = ff_alloc(1, sizeof *team);
  if (!team) {
    return FF_ERROR_MEMORY;
  }
  pthread_mutex_init(&team->mutex, NULL); /* neither fails without attributes */
  pthread_cond_init(&team->wake, NULL);
  for (int i = 1; i < threads; i++) {
    if (!start(team, &team->thread[team->others])) {
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
  wake(team);
  for (int i = 0; i < team->others; i++) {
    pthread_join(team->thread[i], NULL);
  }
  pthread_cond_destroy(&team->wake);
  pthread_mutex_destroy(&team->mutex);
  ff_free(team);
}

static void share(ff_team *team, ff_team_part *part, void *context, int count, int piece) {
  ticket job = (ticket)job_of(atomic_load(&team->next)) << 32;
  atomic_store(&team->next, job | CLOSED);
  atomic_store(&team->part, part);
  atomic_store(&team->context, context);
  atomic_store(&team->count, count);
  atomic_store(&team->piece, piece);
  atomic_store(&team->effort, 0);
  atomic_store(&team->left, (count - 1) / piece + 1);
  atomic_store(&team->next, job + ((ticket)1 << 32));
  wake(team);
  while (help(team, false)) {
  }
  for (int looks = 0; atomic_load(&team->left) > 0;) {
    look_again(&looks);
  }
  ff_effort += atomic_load(&team->effort);
}

void ff_team_share(ff_team *team, ff_team_part *part, void *context, int count, int piece) {
  if (team && team->others > 0 && count > piece) {
    share(team, part, context, count, piece);
    return;
  }
  for (int first = 0; first < count; first += piece) {
    part(context, first, count - first < piece ? count : first + piece);
  }
}
