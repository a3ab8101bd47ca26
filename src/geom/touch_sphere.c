/* A sphere on a sphere. */
#include "geom/touch.h"

int ff_touch_sphere_sphere(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b,
                           const ff_pose *pose_b, double margin, ff_touch *out) {
  ff_vec3 apart = v3_sub(pose_a->position, pose_b->position);
  double distance = v3_norm(apart);
  double depth = a->size.x + b->size.x - distance;
  if (!(depth > -margin)) {
    return 0;
  }
  /* With the centres in one place any direction is as good as another. */
  ff_vec3 normal = distance > 0.0 ? v3_scale(1.0 / distance, apart) : v3(0.0, 0.0, 1.0);
  double curvature = 1.0 / a->size.x + 1.0 / b->size.x;
  /* The point lies on the line of centres, in the middle of the overlap. There spin adds
   * nothing to the normal velocity, so that it is minus the depth rate. */
  out[0] = (ff_touch){
      .point = v3_axpy(pose_b->position, b->size.x - 0.5 * depth, normal),
      .normal = normal,
      .t1 = v3_orthogonal(normal),
      .depth = depth,
      .curvature = {curvature, curvature},
      .feature = 0,
  };
  return 1;
}
