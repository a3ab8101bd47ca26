#include "audit/findings.h"

#include <math.h>
#include <stdlib.h>

/* ---- kinds ----------------------------------------------------------------------------------- */

typedef struct row {
  ff_finding_info info;
  ff_verdict verdict;
} row;

#define FAILURE(kind, name, unit, limit, meaning, advice)                                          \
  { {name, true, unit, limit, meaning, advice}, FF_VERDICT_##kind }
#define NOTE(name, unit, limit, meaning, advice)                                                   \
  { {name, false, unit, limit, meaning, advice}, FF_VERDICT_GOOD }

static const row rows[FF_FINDING_COUNT] = {
    [FF_FINDING_NON_FINITE] =
        FAILURE(ENERGY, "not finite", "1", "finite, and at most 1e150",
                "a position, a momentum or an energy is not a number, infinite or absurdly large",
                "check the magnitudes and units of the scene"),
    [FF_FINDING_MISSED] =
        FAILURE(CONTACT, "missed touch", "m", "0.1 of the thinner shape's half thickness",
                "two shapes with a contact law passed through each other inside a step",
                "use a smaller stepper.step, or thicker shapes"),
    [FF_FINDING_TOO_DEEP] =
        FAILURE(CONTACT, "too deep", "m", "half the thickness of the thinner shape",
                "an overlap so deep that bodies may leave on the other side",
                "use a stiffer law, thicker shapes or a smaller stepper.step"),
    [FF_FINDING_RIGID_ENTERED] =
        FAILURE(CONTACT, "rigid entered", "m", "1e-3 of the smaller shape's bounding radius",
                "an overlap of rigid surfaces, or of the rigid cores under layers",
                "use a smaller stepper.step"),
    [FF_FINDING_START_OVERLAP] = FAILURE(
        CONTACT, "start overlap", "m", "what weight and motion explain",
        "bodies overlap at the start by more than their load explains", "move the bodies apart"),
    [FF_FINDING_ENERGY] = FAILURE(ENERGY, "energy residual", "1", "audit.energy-tolerance",
                                  "the energy ledger does not close: share of the energy exchanged",
                                  "use a smaller stepper.step or stepper.rtol"),
    [FF_FINDING_CREATED] = FAILURE(ENERGY, "energy created", "1", "0.01 of the energy exchanged",
                                   "stored energy less the work done rises above its start",
                                   "use a smaller stepper.step"),
    [FF_FINDING_UNDONE] =
        FAILURE(ENERGY, "loss undone", "1", "0.02 of the energy exchanged",
                "a loss of a contact law or joint falls: it gives dissipated energy back",
                "use a smaller stepper.step"),
    [FF_FINDING_CANCELS] =
        FAILURE(ENERGY, "ledger cancels", "1", "100 times the energy exchanged, or all losses",
                "losses far larger than the energy there is cancel each other",
                "use a smaller stepper.step, or another stepper"),
    [FF_FINDING_STEP_LOSS] =
        FAILURE(ENERGY, "step loss", "1",
                "0.04 of the energy exchanged, if more than 0.01 of weights times sizes",
                "energy that the steps take or give, and no law (lost.step)",
                "use a smaller stepper.step, or stepper.order 2 under quasi-rigid"),
    [FF_FINDING_IMPACT] =
        FAILURE(UNDER_RESOLVED, "impact unresolved", "1", "0.01 off the law's restitution",
                "the restitution of a central impact is not that of its law",
                "use a smaller stepper.step, or stepper.order 2 under quasi-rigid"),
    [FF_FINDING_COARSE] =
        FAILURE(UNDER_RESOLVED, "under-resolved", "rad",
                "1 rad in a step; 0.5 for midpoint-implicit contacts",
                "a contact is stiffer than a fixed step can follow: step times frequency",
                "use a smaller stepper.step"),
    [FF_FINDING_CONTACT] =
        FAILURE(CONTACT, "contact conditions", "1",
                "the stepper's contact tolerance; in large islands 10 times stepper.accuracy",
                "a force across a gap, a tensile force or friction beyond its cone, of the largest "
                "force",
                "use a smaller stepper.step"),
    [FF_FINDING_SOLVER] =
        FAILURE(CONTACT, "solver residual", "1", "0.1 of the largest force",
                "forces of a large island are not those of its laws at the end of the step",
                "use a smaller stepper.accuracy or stepper.step"),
    [FF_FINDING_CREEP] = FAILURE(
        CONTACT, "creep", "m/s",
        "1e-6 m/s in three windows of 0.2 s; a note where the law is viscous below a slip speed",
        "a contact that sticks drifts steadily without turning",
        "use a friction law that sticks, or a smaller stepper.step"),
    [FF_FINDING_PATH] = FAILURE(
        UNDER_RESOLVED, "path", "1", "0.01 of the body's way, if more than 1e-3 of its size",
        "a body is not where its velocities take it: steps of first order, or impacts inside one",
        "use a smaller stepper.step, or a stepper of second order"),
    [FF_FINDING_MOTION] =
        FAILURE(UNDER_RESOLVED, "not certified", "m", "0.01 of the way and the size of the body",
                "at half the step, or a tenth of rtol, the motion is another (run --certify)",
                "use a smaller stepper.step or stepper.rtol"),
    [FF_FINDING_NO_LAW] =
        NOTE("no law", "m", "", "shapes overlap, and no contact law joins them",
             "add a rule to contacts, or {pair: [a, b], off: true} if it is meant"),
    [FF_FINDING_LEFT] = NOTE("left the scene", "m", "10 times the size of the scene",
                             "a body is far from all others, and above no ground", ""),
    [FF_FINDING_FELL] = NOTE("fell", "rad", "1 rad, at half the height",
                             "a robot's base turned over and lost half of its height", ""),
    [FF_FINDING_UNTOUCHED] = NOTE("nothing touched", "1", "",
                                  "the scene has contact laws, and nothing ever touched", ""),
};

ff_finding_info ff_finding_describe(ff_finding_kind kind) {
  return kind >= 0 && kind < FF_FINDING_COUNT ? rows[kind].info
                                              : (ff_finding_info){"", false, "", "", "", ""};
}

bool ff_found_fails(const ff_found *found) {
  return rows[found->kind].info.failure && !found->note;
}

ff_verdict ff_found_verdict(const ff_found_list *list) {
  ff_verdict out = FF_VERDICT_GOOD;
  for (int i = 0; i < list->count; i++) {
    const ff_found *item = &list->items[i];
    bool worse = ff_found_fails(item) && rows[item->kind].verdict > out;
    out = worse ? rows[item->kind].verdict : out;
  }
  return out;
}

/* ---- table ----------------------------------------------------------------------------------- */

double ff_found_excess(const ff_found *found) {
  double excess = found->limit > 0 ? found->value / found->limit : found->value;
  return isnan(excess) ? INFINITY : excess;
}

static ff_found *found_mildest(ff_found_list *list, int kind) {
  ff_found *mildest = NULL;
  for (int i = 0; i < list->count; i++) {
    ff_found *item = &list->items[i];
    bool same = item->kind == kind;
    if (same && (!mildest || ff_found_excess(item) < ff_found_excess(mildest))) {
      mildest = item;
    }
  }
  return mildest;
}

/* An entry for a new kind and pair; NULL: there is no room, and none of its kind is milder. A third
 * of the table at most is of one kind, so that none crowds out the others. */
static ff_found *found_room(ff_found_list *list, const ff_found *item) {
  int same = 0;
  for (int i = 0; i < list->count; i++) {
    same += list->items[i].kind == item->kind;
  }
  if (list->count < FF_FINDINGS_MOST && same < FF_FINDINGS_MOST / 3) {
    return &list->items[list->count++];
  }
  ff_found *mildest = found_mildest(list, item->kind);
  return mildest && ff_found_excess(mildest) < ff_found_excess(item) ? mildest : NULL;
}

ff_found *ff_found_since(ff_found_list *list, ff_finding_kind kind, int a, int b, double first,
                         double worst, double value, double limit) {
  ff_found item = {(int)kind, a, b, 0, first, worst, value, limit};
  for (int i = 0; i < list->count; i++) {
    ff_found *old = &list->items[i];
    if (old->kind == item.kind && old->a == a && old->b == b) {
      if (ff_found_excess(&item) > ff_found_excess(old)) {
        item.first = old->first;
        item.note = old->note;
        *old = item;
      }
      return old;
    }
  }
  ff_found *room = found_room(list, &item);
  if (room) {
    *room = item;
  }
  return room;
}

void ff_found_add(ff_found_list *list, ff_finding_kind kind, int a, int b, double t, double value,
                  double limit) {
  ff_found_since(list, kind, a, b, t, t, value, limit);
}

static int found_order(const void *left, const void *right) {
  const ff_found *a = left, *b = right;
  int failure_a = ff_found_fails(a), failure_b = ff_found_fails(b);
  if (failure_a != failure_b) {
    return failure_b - failure_a;
  }
  double excess_a = ff_found_excess(a), excess_b = ff_found_excess(b);
  if (failure_a && excess_a != excess_b) {
    return excess_a < excess_b ? 1 : -1;
  }
  int kind = a->kind - b->kind, first = a->a - b->a;
  return kind != 0 ? kind : first != 0 ? first : a->b - b->b;
}

void ff_found_sort(ff_found_list *list) {
  qsort(list->items, (size_t)list->count, sizeof *list->items, found_order);
}
