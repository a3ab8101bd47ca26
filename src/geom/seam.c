#include "geom/seam.h"

#include "math/spatial.h"

static void continue_shape(const ff_geom *geom, const ff_pose *pose, ff_geom *geom_out,
                           ff_pose *pose_out) {
  *geom_out = *geom;
  *pose_out = *pose;
  geom_out->seam = NULL;
  if (geom->seam) {
    geom_out->size = geom->seam->size;
    pose_out->position = pose_point(*pose, geom->seam->centre);
  }
}

void ff_pair_continue(ff_continued_pair *out, const ff_geom *a, const ff_pose *pose_a,
                      const ff_geom *b, const ff_pose *pose_b) {
  continue_shape(a, pose_a, &out->geom[0], &out->pose[0]);
  continue_shape(b, pose_b, &out->geom[1], &out->pose[1]);
  out->a = &out->geom[0];
  out->b = &out->geom[1];
  out->pose_a = &out->pose[0];
  out->pose_b = &out->pose[1];
}

double ff_seam_share(const ff_geom *geom, const ff_pose *pose, ff_vec3 point) {
  const ff_seam *seam = geom->seam;
  if (!seam) {
    return 1;
  }
  ff_vec3 local = q_unrotate(pose->orientation, v3_sub(point, pose->position));
  const double x[3] = {local.x, local.y, local.z},
               s[3] = {geom->size.x, geom->size.y, geom->size.z};
  double share = 1;
  for (int i = 0; i < 6; i++) {
    int axis = i / 2;
    if (seam->inner[axis][i % 2]) {
      double inside = s[axis] - (i % 2 ? x[axis] : -x[axis]); /* m, from the seam */
      double y = lesser(greater(0.5 + 0.5 * inside / seam->width, 0), 1);
      share *= y * y * (3 - 2 * y);
    }
  }
  return share;
}

void ff_continued_rates(const ff_continued_pair *pair, const ff_pose *pose_a, ff_mat3 rate[2]) {
  ff_vec3 arm = v3_sub(pair->pose_a->position, pose_a->position);
  rate[1] = m3_sub(rate[1], m3_times_skew(rate[0], arm));
}
