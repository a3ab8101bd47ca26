/* The list of what may touch soon. */
#ifndef FF_STEP_CANDIDATES_H
#define FF_STEP_CANDIDATES_H

#include "math/vec.h"
#include "model/state.h"

/* Would a body at this pose of its principal frame have left what the list covers, which is its
 * skin around the way that it was expected to go? There must be a list. */
static inline bool ff_candidates_left(const ff_state *state, int body, const ff_pose *pose) {
  double reach = state->reach[body], sway = state->sway[body];
  ff_vec3 moved = v3_sub(pose->position, state->listed_at[body].position);
  if (sway > 0) { /* shapes beside the origin, as it turns */
    ff_quat p = pose->orientation, q = state->listed_at[body].orientation;
    double cosine = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z; /* of half the angle */
    reach -= 2 * sway * sqrt(greater(0, 1 - cosine * cosine));
  }
  if (reach >= 0 && v3_dot(moved, moved) <= reach * reach) {
    return false;
  }
  ff_vec3 way = state->way[body];
  double size = v3_dot(way, way);
  double share = size > 0 ? lesser(1, greater(0, v3_dot(moved, way) / size)) : 0;
  moved = v3_axpy(moved, -share, way);
  return !(reach >= 0 && v3_dot(moved, moved) <= reach * reach);
}

/* Has a body moved or turned so far since the list was made that at (t, y) a touch may be missing?
 */
bool ff_candidates_stale(const ff_model *model, const ff_state *state, double t, const double *y);

/* How far the next list is to reach: each body may go on for four steps of this length, and turn
 * aside by a skin. Boxes are swept along their own motion: bodies that fly side by side do not
 * come near each other for it, and one that is fast does not make the others look far. */
void ff_candidates_wish(const ff_model *model, ff_state *state, double step);

/* The next list is for motions `times` as long as those of the last list. */
void ff_candidates_wish_more(const ff_model *model, ff_state *state, double times);

/* Makes the list anew, good for motions up to the wish; contact points that stay keep
 * their state and memory. Bodies must be up to date (ff_bodies_update). FF_ERROR_CAPACITY: the list
 * is as before, and state->wanted the capacity that the new one needs (ff_work_list). */
ff_status ff_candidates_update(const ff_model *model, ff_state *state);

#endif
