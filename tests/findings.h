/* Findings of a sim, for tests. */
#ifndef FF_TESTS_FINDINGS_H
#define FF_TESTS_FINDINGS_H

#include "footfall/footfall.h"
#include "testing.h"

/* The finding of this kind; its kind is FF_FINDING_COUNT if there is none. */
static inline ff_finding finding(const ff_sim *sim, ff_finding_kind kind) {
  ff_finding found[FF_FINDINGS_MOST];
  int count = ff_sim_findings(sim, found, FF_FINDINGS_MOST);
  for (int i = 0; i < count; i++) {
    if (found[i].kind == kind) {
      return found[i];
    }
  }
  return (ff_finding){.kind = FF_FINDING_COUNT};
}

static inline bool has_finding(const ff_sim *sim, ff_finding_kind kind) {
  return finding(sim, kind).kind == kind;
}

/* Number of failures. */
static inline int failures(const ff_sim *sim) {
  ff_finding found[FF_FINDINGS_MOST];
  int count = ff_sim_findings(sim, found, FF_FINDINGS_MOST), out = 0;
  for (int i = 0; i < count; i++) {
    out += found[i].failure;
  }
  return out;
}

static inline void print_findings(const ff_sim *sim, const char *what) {
  ff_finding found[FF_FINDINGS_MOST];
  int count = ff_sim_findings(sim, found, FF_FINDINGS_MOST);
  for (int i = 0; i < count; i++) {
    print_error("%s: %s %s, bodies %d %d: %g, limit %g %s, at %g s from %g s on\n", what,
                found[i].failure ? "failure" : "note", ff_finding_describe(found[i].kind).name,
                found[i].a.id, found[i].b.id, found[i].value, found[i].limit, found[i].unit,
                found[i].worst, found[i].first);
  }
}

/* No failure, but for those of two kinds. */
static inline void assert_good_but_two(const ff_sim *sim, ff_finding_kind kind,
                                       ff_finding_kind other, const char *what) {
  ff_finding found[FF_FINDINGS_MOST];
  int count = ff_sim_findings(sim, found, FF_FINDINGS_MOST);
  for (int i = 0; i < count; i++) {
    if (found[i].failure && found[i].kind != kind && found[i].kind != other) {
      print_findings(sim, what);
      fail();
    }
  }
}

/* No failure, but for those of one kind. */
static inline void assert_good_but(const ff_sim *sim, ff_finding_kind kind, const char *what) {
  assert_good_but_two(sim, kind, kind, what);
}

static inline void assert_good(const ff_sim *sim) {
  assert_good_but(sim, FF_FINDING_COUNT, "not good");
  assert_int_equal(ff_sim_audit(sim).verdict, FF_VERDICT_GOOD);
}

#endif
