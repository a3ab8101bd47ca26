#include "model/inertia.h"

#include "base/report.h"
#include "math/eigen.h"
#include "math/vec.h"

/* Sums over the finite shapes of a body. */
typedef struct sum {
  double mass;   /* kg if dense, else m^3 */
  ff_vec3 first; /* mass * position */
  bool any;      /* has a finite shape */
  bool dense;    /* every one has a density */
} sum;

static bool shape_is_finite(const ff_shape_list *list, int i) {
  return list->shapes[i].geom.kind != FF_HALF_SPACE;
}

static double shape_weight(const ff_shape_list *list, int i, bool dense) {
  return (dense ? list->densities[i] : 1.0) * ff_geom_volume(&list->shapes[i].geom);
}

static sum shapes_add_up(const ff_shape_list *list) {
  sum out = {.dense = true};
  for (int i = 0; i < list->count; i++) {
    if (shape_is_finite(list, i)) {
      out.any = true;
      out.dense = out.dense && !isnan(list->densities[i]);
    }
  }
  for (int i = 0; i < list->count; i++) {
    if (shape_is_finite(list, i)) {
      double m = shape_weight(list, i, out.dense);
      out.mass += m;
      out.first = v3_axpy(out.first, m, list->shapes[i].pose.position);
    }
  }
  return out;
}

/* Adds s * (|r|^2 1 - r r^T): a point mass at r. */
static void inertia_add_point(ff_mat3 *to, double s, ff_vec3 r) {
  double v[3] = {r.x, r.y, r.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      to->m[i][j] += s * ((i == j ? v3_dot(r, r) : 0.0) - v[i] * v[j]);
    }
  }
}

/* Adds s * R diag(d) R^T. */
static void inertia_add_rotated(ff_mat3 *to, double s, ff_quat q, ff_vec3 d) {
  ff_mat3 r = q_matrix(q);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      to->m[i][j] += s * (r.m[i][0] * d.x * r.m[j][0] + r.m[i][1] * d.y * r.m[j][1] +
                          r.m[i][2] * d.z * r.m[j][2]);
    }
  }
}

static ff_mat3 inertia_of_shapes(const ff_shape_list *list, const sum *total,
                                 const ff_mass_properties *at) {
  ff_mat3 out = {0};
  double scale = at->mass / total->mass;
  for (int i = 0; i < list->count; i++) {
    const ff_model_shape *shape = &list->shapes[i];
    if (shape_is_finite(list, i)) {
      double m = scale * shape_weight(list, i, total->dense);
      inertia_add_rotated(&out, m / ff_geom_volume(&shape->geom), shape->pose.orientation,
                          ff_geom_inertia(&shape->geom));
      inertia_add_point(&out, m, v3_sub(shape->pose.position, at->com));
    }
  }
  return out;
}

/* A physical inertia has positive principal moments, none larger than the sum of the other two. */
static ff_status body_check_inertia(const ff_mat3 *inertia, ff_report *report) {
  double scale = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      if (!isfinite(inertia->m[i][j])) {
        return ff_report_what(report, "every number must be finite");
      }
      scale = fmax(scale, fabs(inertia->m[i][j]));
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) {
      if (fabs(inertia->m[i][j] - inertia->m[j][i]) > 1e-9 * scale) {
        return ff_report_what(report,
                              "must be symmetric, but entry [%d][%d] is %g and [%d][%d] is %g", i,
                              j, inertia->m[i][j], j, i, inertia->m[j][i]);
      }
    }
  }
  ff_quat axes;
  ff_vec3 d = ff_eigen(*inertia, &axes);
  if (!(d.x > 0 && d.y > 0 && d.z > 0)) {
    return ff_report_what(report, "principal moments must be greater than 0, got %g, %g, %g", d.x,
                          d.y, d.z);
  }
  double slack = 1e-9 * (d.x + d.y + d.z); /* a flat plate is exactly at the limit */
  if (d.x > d.y + d.z + slack || d.y > d.x + d.z + slack || d.z > d.x + d.y + slack) {
    return ff_report_what(
        report,
        "are not the principal moments of a body: %g, %g, %g; none may exceed the sum of "
        "the other two",
        d.x, d.y, d.z);
  }
  return FF_OK;
}

static ff_status body_find_mass(ff_mass_properties *out, const ff_body_def *def, const sum *total,
                                ff_report *report) {
  out->mass = def->mass;
  if (isnan(def->mass)) {
    if (!total->any || !total->dense) {
      ff_status status = ff_report_what(report, total->any ? "missing: a shape has no density"
                                                           : "missing: the body has no shape");
      ff_report_expected(report, "mass in kg, density in kg/m^3, or a material that has a density");
      return status;
    }
    out->mass = total->mass;
  }
  if (!(out->mass > 0) || !isfinite(out->mass)) {
    return ff_report_what(report, "must be greater than 0 and finite, got %g", out->mass);
  }
  return FF_OK;
}

ff_status ff_body_mass_properties(ff_mass_properties *out, const ff_body_def *def,
                                  const ff_shape_list *list, ff_report *report) {
  *out = (ff_mass_properties){0};
  sum total = shapes_add_up(list);
  ff_status status = body_find_mass(out, def, &total, report);
  if (status != FF_OK) {
    ff_report_key(report, "mass");
    return status;
  }
  out->com = def->com;
  if (isnan(def->com.x)) {
    out->com = total.any ? v3_scale(1 / total.mass, total.first) : v3(0, 0, 0);
  }
  out->inertia = def->inertia;
  if (isnan(def->inertia.m[0][0])) {
    if (!total.any) {
      status = ff_report_what(report, "missing: the body has no shape to compute it from");
      ff_report_expected(report, "[Ixx, Iyy, Izz] in kg m^2, or a shape");
      ff_report_key(report, "inertia");
      return status;
    }
    out->inertia = inertia_of_shapes(list, &total, out);
  }
  status = body_check_inertia(&out->inertia, report);
  if (status != FF_OK) {
    ff_report_key(report, "inertia");
  }
  return status;
}
