/* Seams between flush boxes: of one body, or of bodies that are fixed. See geom/seam.h.
 *
 * A face of a box is at a seam if faces of other boxes, in its plane and turned towards it, cover
 * all of it, and if these boxes collide with the same shapes about as stiffly. */
#include "model/build.h"

#include "geom/seam.h"

#define FLUSH 1e-6 /* of a box's size: faces this near a common plane are flush */
#define WIDTH 1e-2 /* of the smallest half extent: half the width of a seam */
#define ALIKE 2.0  /* ratio of stiffnesses */
#define DEPTH 1e-3 /* of a half thickness: where forces are compared */
enum { COVERS_MOST = 24 };

/* A rectangle in the plane of a face, m. */
typedef struct face_rectangle {
  double low[2], high[2];
} face_rectangle;

typedef struct covered_face {
  face_rectangle covers[COVERS_MOST];
  int count;
  double beyond; /* m, how far the neighbours reach, at least */
} covered_face;

static ff_pose seam_pose(const ff_model *model, const ff_model_shape *shape) {
  const ff_model_body *body = &model->bodies[shape->body];
  return body->kind == FF_BODY_FIXED ? pose_mul(body->start, shape->pose) : shape->pose;
}

static bool same_rigid_group(const ff_model *model, const ff_model_shape *a,
                             const ff_model_shape *b) {
  return a->body == b->body || (model->bodies[a->body].kind == FF_BODY_FIXED &&
                                model->bodies[b->body].kind == FF_BODY_FIXED);
}

/* Within a factor of ALIKE, or both 0 or infinite. */
static bool is_alike(double a, double b) {
  return a == b || (a <= ALIKE * b && b <= ALIKE * a);
}

/* Are two contacts about as stiff, at this depth (m)? Beside a much softer ground an edge is felt.
 */
static bool bindings_alike(const ff_binding *a, const ff_binding *b, double depth) {
  double force[2] = {0, 0};
  const ff_binding *both[2] = {a, b};
  for (int i = 0; i < 2 && a->normal->normal && b->normal->normal; i++) {
    ff_patch patch = {.depth = depth, .curvature = {INFINITY, INFINITY}};
    ff_normal normal = {.moment = {0, 0}};
    both[i]->normal->normal(&both[i]->normal_params, &patch, &normal);
    force[i] = normal.force;
  }
  return a->normal == b->normal && is_alike(force[0], force[1]) &&
         is_alike(a->layer.stiffness, b->layer.stiffness) &&
         is_alike(a->layer.max_deflection, b->layer.max_deflection) &&
         is_alike(a->ground.stiffness, b->ground.stiffness) &&
         is_alike(a->ground.thickness, b->ground.thickness);
}

/* Do both collide with the same shapes, about as stiffly? */
static bool same_partners(const ff_model *model, const ff_model_shape *a, const ff_model_shape *b) {
  const int *of_a = &model->class_table[a->class_index * model->class_count];
  const int *of_b = &model->class_table[b->class_index * model->class_count];
  for (int c = 0; c < model->class_count; c++) {
    bool collide = of_a[c] >= 0;
    if (collide != (of_b[c] >= 0) ||
        (collide && !bindings_alike(&model->bindings[of_a[c]], &model->bindings[of_b[c]],
                                    DEPTH * lesser(a->thickness, b->thickness)))) {
      return false;
    }
  }
  return true;
}

/* Half extents of a box along the axes of another frame; false: its axes are not parallel. */
static bool extents_along(ff_quat turn, ff_vec3 size, double out[3]) {
  const ff_vec3 axes[3] = {q_axis_x(turn), q_axis_y(turn), q_axis_z(turn)};
  const double s[3] = {size.x, size.y, size.z};
  out[0] = out[1] = out[2] = 0;
  for (int i = 0; i < 3; i++) {
    const double x[3] = {fabs(axes[i].x), fabs(axes[i].y), fabs(axes[i].z)};
    int along = x[0] > x[1] ? (x[0] > x[2] ? 0 : 2) : (x[1] > x[2] ? 1 : 2);
    if (x[along] < 1 - 0.5 * FLUSH * FLUSH) {
      return false;
    }
    out[along] = s[i];
  }
  return out[0] > 0 && out[1] > 0 && out[2] > 0;
}

/* Notes where the faces of a box are covered by another one. */
static void note_covers(const ff_model_shape *box, const ff_model_shape *other, ff_pose pose,
                        ff_pose other_pose, covered_face faces[6]) {
  double half[3], tolerance = FLUSH * box->bound;
  ff_quat turn = q_mul(q_conj(pose.orientation), other_pose.orientation);
  ff_vec3 at = q_unrotate(pose.orientation, v3_sub(other_pose.position, pose.position));
  const double x[3] = {at.x, at.y, at.z};
  const double s[3] = {box->geom.size.x, box->geom.size.y, box->geom.size.z};
  if (!extents_along(turn, other->geom.size, half)) {
    return;
  }
  for (int k = 0; k < 3; k++) {
    covered_face *face = &faces[2 * k + (x[k] > 0)];
    if (fabs(fabs(x[k]) - s[k] - half[k]) > tolerance || face->count == COVERS_MOST) {
      continue;
    }
    face_rectangle *to = &face->covers[face->count];
    bool any = true;
    for (int i = 0; i < 2; i++) {
      int axis = (k + 1 + i) % 3;
      to->low[i] = fmax(x[axis] - half[axis], -s[axis]);
      to->high[i] = fmin(x[axis] + half[axis], s[axis]);
      any = any && to->high[i] - to->low[i] > tolerance;
    }
    if (any) {
      face->beyond = face->count == 0 ? 2 * half[k] : fmin(face->beyond, 2 * half[k]);
      face->count++;
    }
  }
}

static void sort_places(double *x, int count) {
  for (int i = 1; i < count; i++) {
    double held = x[i];
    int k = i;
    for (; k > 0 && x[k - 1] > held; k--) {
      x[k] = x[k - 1];
    }
    x[k] = held;
  }
}

/* Is every cell between the sides of the rectangles in one of them? */
static bool is_covered(const covered_face *face, double half_u, double half_v, double tolerance) {
  double places[2][2 * COVERS_MOST + 2];
  const double half[2] = {half_u, half_v};
  int count = 2 * face->count + 2;
  for (int i = 0; i < 2; i++) {
    places[i][0] = -half[i];
    places[i][1] = half[i];
    for (int k = 0; k < face->count; k++) {
      places[i][2 + 2 * k] = face->covers[k].low[i];
      places[i][3 + 2 * k] = face->covers[k].high[i];
    }
    sort_places(places[i], count);
  }
  for (int cell = 0; cell < (count - 1) * (count - 1); cell++) {
    int u = cell / (count - 1), v = cell % (count - 1);
    double x = 0.5 * (places[0][u] + places[0][u + 1]), y = 0.5 * (places[1][v] + places[1][v + 1]);
    bool covered =
        places[0][u + 1] - places[0][u] < tolerance || places[1][v + 1] - places[1][v] < tolerance;
    for (int k = 0; k < face->count && !covered; k++) {
      const face_rectangle *by = &face->covers[k];
      covered = x > by->low[0] && x < by->high[0] && y > by->low[1] && y < by->high[1];
    }
    if (!covered) {
      return false;
    }
  }
  return face->count > 0;
}

/* The seam of a box; false: it has none. */
static bool seam_of(const ff_model_shape *box, const covered_face faces[6], ff_seam *out) {
  const double s[3] = {box->geom.size.x, box->geom.size.y, box->geom.size.z};
  double low[3], high[3];
  bool any = false;
  *out = (ff_seam){.width = 0};
  for (int k = 0; k < 3; k++) {
    const double half_u = s[(k + 1) % 3], half_v = s[(k + 2) % 3];
    for (int side = 0; side < 2; side++) {
      const covered_face *face = &faces[2 * k + side];
      bool inner = is_covered(face, half_u, half_v, FLUSH * box->bound);
      out->inner[k][side] = inner;
      *(side ? &high[k] : &low[k]) = s[k] + (inner ? face->beyond : 0);
      any = any || inner;
    }
  }
  out->size = v3(0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2]));
  out->centre = v3(0.5 * (high[0] - low[0]), 0.5 * (high[1] - low[1]), 0.5 * (high[2] - low[2]));
  return any;
}

/* Boxes beside which there is another one of their rigid group. */
static void find_covers(const ff_model *model, int index, covered_face faces[6]) {
  const ff_model_shape *box = &model->shapes[index];
  ff_pose pose = seam_pose(model, box);
  for (int i = 0; i < model->shape_count; i++) {
    const ff_model_shape *other = &model->shapes[i];
    if (i == index || other->geom.kind != FF_BOX || !same_rigid_group(model, box, other)) {
      continue;
    }
    ff_pose other_pose = seam_pose(model, other);
    ff_vec3 apart = v3_sub(other_pose.position, pose.position);
    double reach = (1 + FLUSH) * (box->bound + other->bound);
    if (v3_dot(apart, apart) <= reach * reach && same_partners(model, box, other)) {
      note_covers(box, other, pose, other_pose, faces);
    }
  }
}

ff_status ff_build_seams(ff_build *build) {
  ff_model *model = build->model;
  double least = INFINITY;
  for (int i = 0; i < model->shape_count; i++) {
    ff_model_shape *box = &build->shapes[i];
    covered_face faces[6];
    ff_seam seam;
    if (box->geom.kind != FF_BOX) {
      continue;
    }
    for (int k = 0; k < 6; k++) {
      faces[k].count = 0;
    }
    find_covers(model, i, faces);
    if (seam_of(box, faces, &seam)) {
      ff_seam *own = ff_arena_take(&model->arena, 1, sizeof *own);
      if (!own) {
        return FF_ERROR_MEMORY;
      }
      *own = seam;
      box->geom.seam = own;
      least = fmin(least, box->thickness);
    }
  }
  for (int i = 0; i < model->shape_count; i++) { /* neighbours share one width */
    if (build->shapes[i].geom.seam) {
      ((ff_seam *)build->shapes[i].geom.seam)->width = WIDTH * least;
    }
  }
  return FF_OK;
}
