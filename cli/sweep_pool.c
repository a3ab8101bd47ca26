/* Worker threads of a sweep. */
#include "sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS_DUE = 32 };

struct ff_sweep_pool {
  const ff_study *study;
  pthread_t *threads;
  int count;
  pthread_mutex_t lock;
  pthread_cond_t given, finished;
  long *runs; /* queue of runs to do: first .. end - 1 */
  int first, end, capacity;
  ff_sweep_row **rows; /* finished, not yet taken */
  int done, done_capacity;
  int pending; /* given, and neither taken nor dropped */
  volatile int stop;
};

size_t ff_sweep_row_size(const ff_study *study) {
  return sizeof(ff_sweep_row) + (size_t)ff_study_measure_count(study) * sizeof(double);
}

static double sweep_thread_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Space for one more finished row; called with the lock. */
static bool sweep_pool_reserve(ff_sweep_pool *pool) {
  if (pool->done < pool->done_capacity) {
    return true;
  }
  int capacity = pool->done_capacity ? 2 * pool->done_capacity : 64;
  ff_sweep_row **rows = realloc(pool->rows, (size_t)capacity * sizeof(*rows));
  if (rows) {
    pool->rows = rows;
    pool->done_capacity = capacity;
  }
  return rows != NULL;
}

/* Is it time to take rows? Waking for each one cost 5 % of runs of a millisecond. */
static bool sweep_pool_is_due(const ff_sweep_pool *pool) {
  return pool->done >= ROWS_DUE || pool->end - pool->first <= pool->count;
}

static void sweep_pool_compute(ff_sweep_pool *pool, long run) {
  ff_sweep_row *row = calloc(1, ff_sweep_row_size(pool->study));
  if (row) {
    double start = sweep_thread_clock();
    row->run = run;
    ff_study_evaluate(pool->study, run, row->measures, &row->result, &pool->stop);
    row->seconds = sweep_thread_clock() - start;
  }
  pthread_mutex_lock(&pool->lock);
  bool memory = row && row->result.status != FF_ERROR_MEMORY;
  if (memory && row->result.status != FF_CANCELLED && sweep_pool_reserve(pool)) {
    pool->rows[pool->done++] = row;
  } else {
    free(row); /* the run stays undone: it can be computed again */
    pool->pending--;
  }
  if (sweep_pool_is_due(pool)) {
    pthread_cond_signal(&pool->finished);
  }
  pthread_mutex_unlock(&pool->lock);
}

static void *sweep_pool_work(void *context) {
  ff_sweep_pool *pool = context;
  for (;;) {
    pthread_mutex_lock(&pool->lock);
    while (pool->first == pool->end && !pool->stop) {
      pthread_cond_wait(&pool->given, &pool->lock);
    }
    bool stop = pool->stop != 0;
    long run = stop ? 0 : pool->runs[pool->first++];
    pthread_mutex_unlock(&pool->lock);
    if (stop) {
      return NULL;
    }
    sweep_pool_compute(pool, run);
  }
}

ff_status ff_sweep_pool_create(ff_sweep_pool **out, const ff_study *study, int threads) {
  ff_sweep_pool *pool = calloc(1, sizeof *pool);
  *out = NULL;
  if (!pool) {
    return FF_ERROR_MEMORY;
  }
  pool->study = study;
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->given, NULL);
  pthread_cond_init(&pool->finished, NULL);
  pool->threads = calloc((size_t)threads, sizeof *pool->threads);
  while (pool->threads && pool->count < threads &&
         pthread_create(&pool->threads[pool->count], NULL, sweep_pool_work, pool) == 0) {
    pool->count++;
  }
  if (pool->count == 0) {
    ff_sweep_pool_destroy(pool);
    return FF_ERROR_MEMORY;
  }
  *out = pool;
  return FF_OK;
}

int ff_sweep_pool_pending(ff_sweep_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  int pending = pool->pending;
  pthread_mutex_unlock(&pool->lock);
  return pending;
}

bool ff_sweep_pool_give(ff_sweep_pool *pool, const long *runs, int count) {
  pthread_mutex_lock(&pool->lock);
  if (pool->first == pool->end) {
    pool->first = pool->end = 0;
  }
  bool there = pool->end + count <= pool->capacity;
  if (!there) {
    int capacity = 2 * (pool->end + count);
    long *grown = realloc(pool->runs, (size_t)capacity * sizeof *grown);
    there = grown != NULL;
    if (grown) {
      pool->runs = grown;
      pool->capacity = capacity;
    }
  }
  for (int i = 0; i < count && there; i++) {
    pool->runs[pool->end++] = runs[i];
  }
  pool->pending += there ? count : 0;
  pthread_cond_broadcast(&pool->given);
  pthread_mutex_unlock(&pool->lock);
  return there;
}

int ff_sweep_pool_take(ff_sweep_pool *pool, ff_sweep_row **rows, int limit, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  long nano = until.tv_nsec + (long)(seconds * 1e9);
  until.tv_sec += nano / 1000000000;
  until.tv_nsec = nano % 1000000000;
  pthread_mutex_lock(&pool->lock);
  int error = 0;
  while ((pool->done == 0 || !sweep_pool_is_due(pool)) && pool->pending > 0 && error == 0) {
    error = pthread_cond_timedwait(&pool->finished, &pool->lock, &until);
  }
  int count = pool->done < limit ? pool->done : limit;
  for (int i = 0; i < count; i++) {
    rows[i] = pool->rows[i];
  }
  pool->done -= count;
  pool->pending -= count;
  for (int i = 0; i < pool->done; i++) {
    pool->rows[i] = pool->rows[i + count];
  }
  pthread_mutex_unlock(&pool->lock);
  return count;
}

void ff_sweep_pool_destroy(ff_sweep_pool *pool) {
  if (!pool) {
    return;
  }
  pthread_mutex_lock(&pool->lock);
  pool->stop = 1;
  pthread_cond_broadcast(&pool->given);
  pthread_mutex_unlock(&pool->lock);
  for (int i = 0; i < pool->count; i++) {
    pthread_join(pool->threads[i], NULL);
  }
  for (int i = 0; i < pool->done; i++) {
    free(pool->rows[i]);
  }
  pthread_cond_destroy(&pool->finished);
  pthread_cond_destroy(&pool->given);
  pthread_mutex_destroy(&pool->lock);
  free(pool->threads);
  free(pool->runs);
  free(pool->rows);
  free(pool);
}
