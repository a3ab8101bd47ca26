/* Findings: the fixed table of what a run shows, one entry for each kind and pair of bodies. */
#ifndef FF_AUDIT_FINDINGS_H
#define FF_AUDIT_FINDINGS_H

#include "footfall/sim.h"

/* Limits, see docs/verdict.md. */
#define FF_LIMIT_NUMBER    1e150 /* of any position, velocity or energy */
#define FF_LIMIT_CREATED   0.01  /* 1, of the energy exchanged */
#define FF_LIMIT_UNDONE    0.02  /* 1, of the energy exchanged */
#define FF_LIMIT_CANCELS   100.0 /* 1, a loss over the energy exchanged */
#define FF_LIMIT_STEP      0.04  /* 1, of the energy exchanged, */
#define FF_LIMIT_STEP_FALL 0.01  /* 1, and of the weights times sizes */
#define FF_LIMIT_FLOOR     1e-3  /* 1, least energy exchanged, of the weights times sizes */
#define FF_LIMIT_IMPACT    0.01  /* 1, restitution */
#define FF_LIMIT_RIGID     1e-3  /* 1, of the smaller shape's bounding radius */
#define FF_LIMIT_MISSED    0.1   /* 1, of the smaller half thickness */
#define FF_LIMIT_CREEP     1e-6  /* m/s */
#define FF_LIMIT_PATH      0.01  /* 1, lag of a body over its way, */
#define FF_LIMIT_PATH_SIZE 1e-3  /* 1, and over its bounding radius */
#define FF_LIMIT_SOLVER    0.1   /* 1, of the largest force of a step */
#define FF_LIMIT_CROWD     10.0  /* 1, error of forces over the accuracy of a large island */

/* An entry; a and b count from 0, -1: none. */
typedef struct ff_found {
  int kind, a, b;
  int note;            /* 1: not a failure, whatever its kind */
  double first, worst; /* s */
  double value, limit;
} ff_found;

typedef struct ff_found_list {
  int count, spare;
  ff_found items[FF_FINDINGS_MOST];
} ff_found_list;

/* Adds to the entry of this kind and pair, whose worst value stays. Where the table is full, the
 * mildest entry is replaced. */
void ff_found_add(ff_found_list *list, ff_finding_kind kind, int a, int b, double t, double value,
                  double limit);
/* The same for a finding that began earlier. Returns the entry; NULL: there was no room. */
ff_found *ff_found_since(ff_found_list *list, ff_finding_kind kind, int a, int b, double first,
                         double worst, double value, double limit);
/* A failure; else a note. */
bool ff_found_fails(const ff_found *found);
/* Value over limit; INFINITY where the value is not a number. */
double ff_found_excess(const ff_found *found);
/* Failures first, the worst first. */
void ff_found_sort(ff_found_list *list);

/* The verdict that a list makes. */
ff_verdict ff_found_verdict(const ff_found_list *list);

#endif
