/* Which kinds can touch, and who computes it. */
#include "geom/touch.h"

#include "geom/seam.h"
#include "geom/shape.h"

typedef struct pair_entry {
  ff_touch_pair *touch; /* NULL: these do not touch */
  int limit;            /* most points it returns */
} pair_entry;

/* [a][b]; each pair in one order only. Points on half-spaces are in the rows of shapes; finite
 * shapes that have no entry in either order are for the general one, which takes the higher kind
 * first. */
static const pair_entry pairs[FF_SHAPE_KIND_COUNT][FF_SHAPE_KIND_COUNT] = {
    [FF_SPHERE] = {[FF_SPHERE] = {ff_touch_sphere_sphere, 1},
                   [FF_ELLIPSOID] = {ff_touch_ellipsoid_ellipsoid, 1},
                   [FF_CAPSULE] = {ff_touch_sphere_capsule, 1},
                   [FF_BOX] = {ff_touch_sphere_box, 1},
                   [FF_CYLINDER] = {ff_touch_sphere_cylinder, 1}},
    [FF_ELLIPSOID] = {[FF_ELLIPSOID] = {ff_touch_ellipsoid_ellipsoid, 1}},
};

static pair_entry entry_of(ff_shape_kind a, ff_shape_kind b) {
  if (b == FF_HALF_SPACE) {
    return (pair_entry){ff_shapes[a]->on_plane, ff_shapes[a]->plane_points};
  }
  if (a != FF_HALF_SPACE && a >= b && !pairs[a][b].touch && !pairs[b][a].touch) {
    return (pair_entry){ff_touch_convex, 1};
  }
  return pairs[a][b];
}

bool ff_geom_in_order(ff_shape_kind a, ff_shape_kind b) {
  return entry_of(a, b).limit > 0;
}

int ff_geom_touch_limit(ff_shape_kind a, ff_shape_kind b) {
  int forward = entry_of(a, b).limit, backward = entry_of(b, a).limit;
  return forward > backward ? forward : backward;
}

bool ff_geom_can_touch(ff_shape_kind a, ff_shape_kind b) {
  return ff_geom_touch_limit(a, b) > 0;
}

ff_touch_pair *ff_geom_touch_of(ff_shape_kind a, ff_shape_kind b) {
  return entry_of(a, b).touch;
}

int ff_geom_touch(const ff_geom *a, const ff_pose *pose_a, const ff_geom *b, const ff_pose *pose_b,
                  double margin, ff_touch out[FF_TOUCH_MAX]) {
  ff_touch_pair *touch = ff_geom_touch_of(a->kind, b->kind);
  int count = 0;
  if (touch && ff_pair_has_seams(a, b)) {
    ff_continued_pair pair;
    ff_pair_continue(&pair, a, pose_a, b, pose_b);
    count = touch(pair.a, pair.pose_a, pair.b, pair.pose_b, margin, out);
    for (int i = 0; i < count; i++) {
      out[i].weight =
          ff_seam_share(a, pose_a, out[i].point) * ff_seam_share(b, pose_b, out[i].point);
    }
    return count;
  }
  count = touch ? touch(a, pose_a, b, pose_b, margin, out) : 0;
  for (int i = 0; i < count; i++) {
    out[i].weight = 1;
  }
  return count;
}
