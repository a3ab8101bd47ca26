/* Threads that share the work of one caller. */
#include "base/effort.h"
#include "base/memory.h"
#include "base/team.h"
#include "testing.h"

#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum { ITEMS = 1000, JOBS = 3000 };

typedef struct work {
  atomic_int done[ITEMS]; /* how often */
  atomic_int pieces;
  int piece;
  atomic_bool wrong;
} work;

static void do_some(void *context, int first, int end) {
  work *of = context;
  atomic_fetch_add(&of->pieces, 1);
  if (first % of->piece != 0 || end - first > of->piece || end <= first) {
    atomic_store(&of->wrong, true);
  }
  for (int i = first; i < end; i++) {
    atomic_fetch_add(&of->done[i], 1);
    ff_effort += i;
  }
}

/* Job after job, of all sizes: each item once, in pieces as told, and all effort is the caller's.
 */
static void shares(ff_team *team) {
  static work of;
  for (int job = 0; job < JOBS; job++) {
    int count = job * 7 % (ITEMS + 1);
    memset(&of, 0, sizeof of);
    of.piece = 1 + job % 40;
    long before = ff_effort;
    ff_team_for(team, do_some, &of, count, of.piece);
    assert_int_equal(ff_effort - before, (long)count * (count - 1) / 2);
    assert_int_equal(of.pieces, (count + of.piece - 1) / of.piece);
    assert_false(of.wrong);
    for (int i = 0; i < ITEMS; i++) {
      assert_int_equal(of.done[i], i < count);
    }
  }
}

static void every_item_is_done_once(void **state) {
  (void)state;
  shares(NULL);
  for (int threads = 1; threads <= 5; threads++) {
    ff_team *team;
    assert_int_equal(ff_team_create(&team, threads), FF_OK);
    shares(team);
    ff_team_destroy(team);
  }
}

static void who_sleeps_is_woken(void **state) {
  (void)state;
  static work of;
  ff_team *team;
  assert_int_equal(ff_team_create(&team, 3), FF_OK);
  for (int job = 0; job < 5; job++) {
    nanosleep(&(struct timespec){.tv_nsec = 20000000},
              NULL); /* far longer than they look for one */
    memset(&of, 0, sizeof of);
    of.piece = 1;
    ff_team_for(team, do_some, &of, ITEMS, 1);
    assert_int_equal(of.pieces, ITEMS);
  }
  ff_team_destroy(team);
}

/* Between begin and end, with more threads than cores, and after it. */
static void loops_of_a_step_are_complete(void **state) {
  (void)state;
  static work of;
  ff_team *team;
  ff_team_begin(NULL);
  ff_team_end(NULL);
  assert_int_equal(ff_team_create(&team, 5), FF_OK);
  for (int job = 0; job < 60; job++) {
    if (job % 20 == 0) {
      ff_team_begin(team);
    }
    memset(&of, 0, sizeof of);
    of.piece = 1 + job;
    ff_team_for(team, do_some, &of, ITEMS, of.piece);
    assert_int_equal(of.pieces, (ITEMS + of.piece - 1) / of.piece);
    if (job % 20 == 10) {
      ff_team_end(team);
    }
  }
  ff_team_begin(team); /* may be destroyed like this */
  ff_team_destroy(team);
}

static void a_shared_copy_is_one(void **state) {
  (void)state;
  enum { MOST = 300000 };
  static unsigned char from[MOST], to[MOST + 1];
  ff_team *team;
  assert_int_equal(ff_team_create(&team, 3), FF_OK);
  for (int i = 0; i < MOST; i++) {
    from[i] = (unsigned char)(i * 31 + i / 256);
  }
  static const size_t sizes[] = {0, 1, 4096, 65536, 65537, 200000, MOST};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    memset(to, 7, sizeof to);
    ff_team_copy(k % 2 ? team : NULL, to, from, sizes[k]);
    assert_memory_equal(to, from, sizes[k]);
    assert_int_equal(to[sizes[k]], 7);
  }
  ff_team_destroy(team);
}

static void no_memory_no_team(void **state) {
  (void)state;
  ff_team *team;
  ff_alloc_fail_at(1);
  assert_int_equal(ff_team_create(&team, 2), FF_ERROR_MEMORY);
  ff_alloc_fail_at(0);
  assert_null(team);
  ff_team_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_item_is_done_once),
      cmocka_unit_test(who_sleeps_is_woken),
      cmocka_unit_test(loops_of_a_step_are_complete),
      cmocka_unit_test(a_shared_copy_is_one),
      cmocka_unit_test(no_memory_no_team),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
