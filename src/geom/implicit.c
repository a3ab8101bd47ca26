#include "geom/implicit.h"

#include "geom/hull.h"
#include "geom/overlap.h"
#include "geom/parts.h"
#include "math/vec.h"

enum { EXIT_ROUNDS = 100 };

bool ff_rule_is_flat(const ff_rule *rule) {
  for (int i = 0; i < 9; i++) {
    if (rule->bend.m[i / 3][i % 3] != 0) {
      return false;
    }
  }
  return true;
}

int ff_geom_rule_count(const ff_geom *geom) {
  switch (geom->kind) {
    case FF_HALF_SPACE:
    case FF_SPHERE:
    case FF_ELLIPSOID:
    case FF_CAPSULE:
    case FF_SUPERELLIPSOID: return 1;
    case FF_CYLINDER: return 3;
    case FF_BOX: return 6;
    case FF_POLYHEDRON: return geom->hull->face_count;
    case FF_INTERSECTION: return geom->parts->rule_count;
    case FF_SHAPE_KIND_COUNT: break;
  }
  return 0;
}

/* n . x - offset, n unit */
static void flat(ff_vec3 n, double offset, ff_vec3 x, ff_rule *out) {
  *out = (ff_rule){.value = v3_dot(n, x) - offset, .slope = n};
}

/* scale / 2 ((x/s)^2 - 1), component by component; a component of s that is INFINITY does not
 * count. */
static void quadric(ff_vec3 s, double scale, ff_vec3 x, ff_rule *out) {
  ff_vec3 a = v3(scale / (s.x * s.x), scale / (s.y * s.y), scale / (s.z * s.z));
  out->slope = v3_mul(a, x);
  out->value = 0.5 * (v3_dot(x, out->slope) - scale);
  out->bend = (ff_mat3){{{a.x, 0, 0}, {0, a.y, 0}, {0, 0, a.z}}};
}

static void capsule(double r, double half, ff_vec3 x, ff_rule *out) {
  bool end = fabs(x.z) > half;
  ff_vec3 from = v3(x.x, x.y, end ? x.z - copysign(half, x.z) : 0);
  out->slope = v3_scale(1 / r, from);
  out->value = 0.5 * (v3_dot(from, out->slope) - r);
  out->bend = (ff_mat3){{{1 / r, 0, 0}, {0, 1 / r, 0}, {0, 0, end ? 1 / r : 0}}};
}

/* A norm of two numbers >= 0 with exponent p: its value, slopes and second derivatives (uu, uv,
 * vv). Where a second derivative is infinite (p < 2, on an axis) it is held finite. */
typedef struct norm2 {
  double value, slope[2], bend[3];
} norm2;

static norm2 norm_of(double u, double v, double p) {
  double most = fmax(u, v);
  norm2 out = {0};
  if (!(most > 0)) {
    return out;
  }
  double a = u / most, b = v / most, sum = pow(a, p) + pow(b, p);
  out.value = most * pow(sum, 1 / p);
  a = u / out.value;
  b = v / out.value;
  out.slope[0] = pow(a, p - 1);
  out.slope[1] = pow(b, p - 1);
  /* d2 = (p - 1) / N [diag(a^(p-2)) - slope slope^T] */
  double least = 1e-9;
  out.bend[0] = (p - 1) / out.value * (pow(fmax(a, least), p - 2) - out.slope[0] * out.slope[0]);
  out.bend[1] = -(p - 1) / out.value * out.slope[0] * out.slope[1];
  out.bend[2] = (p - 1) / out.value * (pow(fmax(b, least), p - 2) - out.slope[1] * out.slope[1]);
  return out;
}

/* scale (norm_q(norm_p(|x/a|, |y/b|), |z/c|) - 1) */
static void superellipsoid(const ff_geom *geom, ff_vec3 x, ff_rule *out) {
  ff_vec3 s = geom->size;
  double scale = fmin(s.x, fmin(s.y, s.z));
  double k[3] = {copysign(1 / s.x, x.x), copysign(1 / s.y, x.y), copysign(1 / s.z, x.z)};
  norm2 in = norm_of(k[0] * x.x, k[1] * x.y, geom->exponents[0]);
  norm2 all = norm_of(in.value, k[2] * x.z, geom->exponents[1]);
  out->value = scale * (all.value - 1);
  double first[3] = {in.slope[0] * k[0], in.slope[1] * k[1], 0}; /* of the inner norm */
  out->slope = v3(scale * all.slope[0] * first[0], scale * all.slope[0] * first[1],
                  scale * all.slope[1] * k[2]);
  const int at[2][2] = {{0, 1}, {1, 2}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double inner = i < 2 && j < 2 ? in.bend[at[i][j]] * k[i] * k[j] : 0;
      double z_i = i == 2 ? k[2] : 0, z_j = j == 2 ? k[2] : 0;
      out->bend.m[i][j] =
          scale * (all.slope[0] * inner + all.bend[0] * first[i] * first[j] +
                   all.bend[1] * (first[i] * z_j + z_i * first[j]) + all.bend[2] * z_i * z_j);
    }
  }
}

static bool is_flat(const ff_geom *geom, int rule) {
  return geom->kind == FF_HALF_SPACE || geom->kind == FF_BOX || geom->kind == FF_POLYHEDRON ||
         (geom->kind == FF_CYLINDER && rule > 0);
}

static void member(const ff_parts *parts, int rule, ff_vec3 x, ff_rule *out) {
  int i = 0;
  while (rule >= parts->first_rule[i + 1]) {
    i++;
  }
  ff_quat q = parts->poses[i].orientation;
  ff_vec3 local = q_unrotate(q, v3_sub(x, parts->poses[i].position));
  ff_rule mine;
  ff_geom_rule(&parts->geoms[i], rule - parts->first_rule[i], local, &mine);
  if (is_flat(&parts->geoms[i], rule - parts->first_rule[i])) {
    flat(q_rotate(q, mine.slope), 0, v3(0, 0, 0), out);
    out->value = mine.value;
    return;
  }
  ff_mat3 r = q_matrix(q);
  *out = (ff_rule){.value = mine.value, .slope = m3_mul(r, mine.slope)};
  for (int row = 0; row < 3; row++) { /* R H R^T, a row at a time */
    ff_vec3 hr = m3_tmul(mine.bend, v3(r.m[row][0], r.m[row][1], r.m[row][2]));
    v3_store(out->bend.m[row], m3_mul(r, hr));
  }
}

void ff_geom_rule(const ff_geom *geom, int rule, ff_vec3 x, ff_rule *out) {
  ff_vec3 s = geom->size;
  switch (geom->kind) {
    case FF_HALF_SPACE: flat(v3(0, 0, 1), 0, x, out); return;
    case FF_SPHERE: quadric(v3(s.x, s.x, s.x), s.x, x, out); return;
    case FF_ELLIPSOID: quadric(s, fmin(s.x, fmin(s.y, s.z)), x, out); return;
    case FF_CAPSULE: capsule(s.x, s.y, x, out); return;
    case FF_SUPERELLIPSOID: superellipsoid(geom, x, out); return;
    case FF_CYLINDER:
      if (rule == 0) {
        quadric(v3(s.x, s.x, INFINITY), s.x, x, out);
      } else {
        flat(v3(0, 0, rule == 1 ? -1 : 1), s.y, x, out);
      }
      return;
    case FF_BOX: {
      double n[3] = {0, 0, 0};
      const double half[3] = {s.x, s.y, s.z};
      n[rule / 2] = rule % 2 ? 1 : -1;
      flat(v3_load(n), half[rule / 2], x, out);
      return;
    }
    case FF_POLYHEDRON: flat(geom->hull->normal[rule], geom->hull->offset[rule], x, out); return;
    case FF_INTERSECTION: member(geom->parts, rule, x, out); return;
    case FF_SHAPE_KIND_COUNT: break;
  }
  *out = (ff_rule){.value = INFINITY};
}

/* Without slopes, where that is less work. */
static double value_of(const ff_geom *geom, int rule, ff_vec3 x) {
  const double half[3] = {geom->size.x, geom->size.y, geom->size.z}, at[3] = {x.x, x.y, x.z};
  ff_rule all;
  switch (geom->kind) {
    case FF_BOX: return (rule % 2 ? at[rule / 2] : -at[rule / 2]) - half[rule / 2];
    case FF_POLYHEDRON: return v3_dot(geom->hull->normal[rule], x) - geom->hull->offset[rule];
    case FF_CYLINDER:
      if (rule > 0) {
        return (rule == 1 ? -x.z : x.z) - geom->size.y;
      }
      break;
    default: break;
  }
  ff_geom_rule(geom, rule, x, &all);
  return all.value;
}

double ff_geom_value(const ff_geom *geom, ff_vec3 x, int *rule) {
  const ff_parts *parts = geom->kind == FF_INTERSECTION ? geom->parts : NULL;
  double most = -INFINITY;
  int worst = 0;
  for (int i = 0; parts && i < parts->count; i++) {
    ff_vec3 from = v3_sub(x, parts->poses[i].position);
    int mine = 0;
    double value =
        ff_geom_value(&parts->geoms[i], q_unrotate(parts->poses[i].orientation, from), &mine);
    worst = value > most ? parts->first_rule[i] + mine : worst;
    most = fmax(most, value);
  }
  for (int k = 0; !parts && k < ff_geom_rule_count(geom); k++) {
    double value = value_of(geom, k, x);
    worst = value > most ? k : worst;
    most = fmax(most, value);
  }
  if (rule) {
    *rule = worst;
  }
  return most;
}

/* Planes one leaves by: the one that is met first. */
static double exit_of_faces(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  double end = INFINITY;
  for (int k = 0; k < ff_geom_rule_count(geom); k++) {
    ff_rule at;
    ff_geom_rule(geom, k, from, &at);
    double rate = v3_dot(at.slope, direction);
    if (rate > 0 && -at.value / rate < end) {
      end = -at.value / rate;
      *rule = k;
    }
  }
  return end;
}

/* The value along a line is convex: from beyond its end Newton's method comes back to it without
 * ever passing it. */
static double exit_of_superellipsoid(const ff_geom *geom, ff_vec3 from, ff_vec3 direction) {
  double t = 1.01 * (ff_geom_bound(geom) + v3_norm(from)) / v3_norm(direction);
  for (int k = 0; k < EXIT_ROUNDS; k++) {
    ff_rule at;
    ff_geom_rule(geom, 0, v3_axpy(from, t, direction), &at);
    double less = at.value / v3_dot(at.slope, direction), before = t;
    t -= less;
    if (!(less > 0) || t == before) {
      break;
    }
  }
  return t;
}

static double exit_of_parts(const ff_parts *parts, ff_vec3 from, ff_vec3 direction, int *rule) {
  double end = INFINITY;
  for (int i = 0; i < parts->count; i++) {
    int mine = 0;
    ff_quat q = parts->poses[i].orientation;
    ff_vec3 local = q_unrotate(q, v3_sub(from, parts->poses[i].position));
    double leave = ff_geom_exit(&parts->geoms[i], local, q_unrotate(q, direction), &mine);
    if (leave < end) {
      end = leave;
      *rule = parts->first_rule[i] + mine;
    }
  }
  return end;
}

double ff_geom_exit(const ff_geom *geom, ff_vec3 from, ff_vec3 direction, int *rule) {
  double enter, leave = 0;
  int last = 0;
  switch (geom->kind) {
    case FF_HALF_SPACE:
    case FF_BOX:
    case FF_POLYHEDRON: leave = exit_of_faces(geom, from, direction, &last); break;
    case FF_SPHERE:
    case FF_ELLIPSOID:
    case FF_CAPSULE:
    case FF_CYLINDER:
      ff_geom_line(geom, from, direction, &enter, &leave);
      if (geom->kind == FF_CYLINDER) {
        ff_geom_value(geom, v3_axpy(from, leave, direction), &last);
      }
      break;
    case FF_SUPERELLIPSOID: leave = exit_of_superellipsoid(geom, from, direction); break;
    case FF_INTERSECTION: leave = exit_of_parts(geom->parts, from, direction, &last); break;
    case FF_SHAPE_KIND_COUNT: break;
  }
  if (rule) {
    *rule = last;
  }
  return leave;
}
