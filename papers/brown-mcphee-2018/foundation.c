/* Closed forms against the elastic foundation they stand for, Secs. 2 and 4.2: columns of springs
 * over the plane. */
#include "brown.h"

#include <math.h>

typedef struct foundation_part {
  double force, centre; /* of the closed form against the finest columns, relative */
  double rolling;       /* moment of eq. 45 against slices, relative */
  double opposes;       /* power of that moment over its size: -1 */
  double overhang[2];   /* share of the volume outside the contact area: normal along an axis up
                         * to d = 1, and tilted */
  double point[2];      /* 1, distance of deepest point and centre of pressure: over that of the
                         * centroid; power of d of it over the patch */
  long columns;         /* with overlap, at which all errors are below 1 % */
} foundation_part;

static const double stiffness = 5e6, damping = 1; /* N/m^3, s/m */
static const ff_vec3 axes = {0.12, 0.05, 0.03}, tilted = {0.6, -0.3, 0.7};

/* Sums over columns. */
typedef struct columns {
  double volume, x, y, polar, outside;
  long count;
} columns;

static bool is_inside(const ff_volume_def *def, ff_vec3 p) {
  double x = p.x / def->size.x, y = p.y / def->size.y, z = p.z / def->size.z;
  return x * x + y * y + z * z <= 1;
}

/* Columns of a square grid of the plane, around the centroid; outside: of those whose foot on the
 * plane is not in the section, so that no surface meets the plane there. */
static columns stand_up(const ff_volume_def *def, const ff_volume *v, int side) {
  const double *x = v->frame.m[0], *y = v->frame.m[1], *n = v->frame.m[2];
  double reach = 2.6 * fmax(def->size.x, fmax(def->size.y, def->size.z)), step = reach / side;
  double up = v->centroid_depth;
  columns sum = {0};
  for (long i = 0; i < (long)side * side; i++) {
    double a = ((double)(i % side) + 0.5) * step - 0.5 * reach;
    double b = ((double)(i / side) + 0.5) * step - 0.5 * reach;
    ff_vec3 at = {v->centroid.x + a * x[0] + b * y[0] + up * n[0],
                  v->centroid.y + a * x[1] + b * y[1] + up * n[1],
                  v->centroid.z + a * x[2] + b * y[2] + up * n[2]};
    double piece = ff_volume_thickness(def, at) * step * step;
    sum.count += piece > 0;
    sum.volume += piece;
    sum.x += piece * a;
    sum.y += piece * b;
    sum.polar += piece * (a * a + b * b);
    sum.outside += is_inside(def, at) ? 0 : piece;
  }
  sum.x /= sum.volume;
  sum.y /= sum.volume;
  return sum;
}

/* Largest of the relative errors of force, centre of pressure and moment about the normal. */
static double error_of(const columns *sum, const ff_volume *v) {
  double polar = v->J_contact.m[2][2], radius = sqrt(polar / v->volume);
  return fmax(fabs(sum->volume / v->volume - 1),
              fmax(hypot(sum->x, sum->y) / radius, fabs(sum->polar / polar - 1)));
}

/* The coarsest grid from which on no error exceeds 1 %. */
static long columns_needed(const ff_volume_def *def, const ff_volume *v) {
  long needed = 0;
  for (int side = 4; side <= 128; side += 4) {
    columns sum = stand_up(def, v, side);
    needed = error_of(&sum, v) > 0.01 ? 0 : needed > 0 ? needed : sum.count;
  }
  return needed;
}

/* Along the plane, from the deepest point to a point x, y of the contact frame about the centroid,
 * m. */
static double from_deepest(const ff_volume_def *def, const ff_volume *v, double x, double y) {
  const double *n = v->frame.m[2], *a = v->frame.m[0], *b = v->frame.m[1];
  double s[3] = {def->size.x, def->size.y, def->size.z}, p[3], length = 0;
  for (int i = 0; i < 3; i++) {
    length += s[i] * s[i] * n[i] * n[i];
  }
  for (int i = 0; i < 3; i++) {
    p[i] = -s[i] * s[i] * n[i] / sqrt(length);
  }
  double d[3] = {p[0] - v->centroid.x, p[1] - v->centroid.y, p[2] - v->centroid.z};
  return hypot(d[0] * a[0] + d[1] * a[1] + d[2] * a[2] - x,
               d[0] * b[0] + d[1] * b[1] + d[2] * b[2] - y);
}

static void compare_with_point(ff_reproduction *study, foundation_part *part,
                               const ff_volume_def *def, const ff_volume *v, const columns *fine) {
  part->point[0] = from_deepest(def, v, fine->x, fine->y) / hypot(fine->x, fine->y);
  double share[2];
  for (int i = 0; i < 2; i++) {
    ff_volume_def flat = brown_cut(axes, tilted, i ? 0.005 : 0.01, false);
    ff_volume w = brown_volume(study, &flat);
    share[i] = from_deepest(&flat, &w, 0, 0) / sqrt(w.J_contact.m[2][2] / w.volume);
  }
  part->point[1] = log2(share[0] / share[1]);
}

/* Moment against rolling: the pressure k_V a_V s (omega x r)_n of damped columns, by slices. */
static void roll(ff_reproduction *study, foundation_part *part, const ff_volume_def *def) {
  static const char *const names[] = {"k_V", "a_V"};
  const double values[] = {stiffness, damping};
  ff_law_params params;
  const ff_law *law = brown_law(study, "volumetric", &params, names, values, 2);
  ff_volume v = brown_volume(study, def);
  brown_slices sum = brown_integrate(def, &v);
  ff_vec3 still = {0, 0, 0},
          omega = {v.frame.m[0][0] + 0.5 * v.frame.m[1][0], v.frame.m[0][1] + 0.5 * v.frame.m[1][1],
                   v.frame.m[0][2] + 0.5 * v.frame.m[1][2]};
  ff_patch patch = ff_volume_patch(&v, still, omega);
  patch.depth_rate = 0; /* rolling about the centroid */
  ff_normal out;
  ff_law_normal(law, &params, &patch, &out);
  double wx = patch.roll[0], wy = patch.roll[1];
  double mx = -stiffness * damping * (sum.yy * wx - sum.xy * wy);
  double my = -stiffness * damping * (sum.xx * wy - sum.xy * wx);
  double size = hypot(mx, my), power = out.moment[0] * wx + out.moment[1] * wy;
  part->rolling = fmax(part->rolling, hypot(out.moment[0] - mx, out.moment[1] - my) / size);
  part->opposes =
      fmax(part->opposes, power / (hypot(out.moment[0], out.moment[1]) * hypot(wx, wy)));
}

static void *compute_part(ff_reproduction *study) {
  foundation_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  part->opposes = -INFINITY;
  ff_volume_def def = brown_cut(axes, tilted, 0.2, false);
  ff_volume v = brown_volume(study, &def);
  columns fine = stand_up(&def, &v, 400);
  ff_volume_def leaning = brown_cut(axes, tilted, 0.9, false);
  ff_volume l = brown_volume(study, &leaning);
  columns over = stand_up(&leaning, &l, 400);
  part->force = fabs(fine.volume / v.volume - 1);
  part->centre = hypot(fine.x, fine.y) / sqrt(v.J_contact.m[2][2] / v.volume);
  part->overhang[1] = over.outside / over.volume;
  ff_volume_def upright = brown_cut(axes, (ff_vec3){0, 0, 1}, 0.9, false);
  ff_volume u = brown_volume(study, &upright);
  columns straight = stand_up(&upright, &u, 400);
  part->overhang[0] = straight.outside / straight.volume;
  part->columns = columns_needed(&def, &v);
  compare_with_point(study, part, &def, &v, &fine);
  for (int i = 0; i < 20; i++) {
    ff_volume_def drawn = brown_draw(study);
    roll(study, part, i == 0 ? &def : &drawn);
  }
  ff_reproduction_number(study, "foundation.columns", (double)part->columns, "1");
  ff_reproduction_number(study, "foundation.overhang", part->overhang[1], "1");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const foundation_part *part = computed;
  ff_reproduction_judge(study, "foundation",
                        ff_reproduction_text(study,
                                             "force within %.1e, centre of pressure within %.1e of "
                                             "the radius of gyration",
                                             part->force, part->centre),
                        part->force, part->centre);
  ff_reproduction_judge(
      study, "overhang",
      ff_reproduction_text(study,
                           "outside the contact area: %.1g of the volume with the "
                           "normal along an axis, %.1f %% tilted",
                           part->overhang[0], 100 * part->overhang[1]),
      part->overhang[0], part->overhang[1]);
  ff_reproduction_judge(
      study, "rolling-resistance",
      ff_reproduction_text(study, "damped columns agree within %.1e", part->rolling), part->rolling,
      part->opposes);
  ff_reproduction_judge(study, "cost",
                        ff_reproduction_text(study, "%ld columns for 1 %%", part->columns),
                        (double)part->columns);
  ff_reproduction_leave(study, "cost-point", NULL);
  ff_reproduction_judge(
      study, "point-contact",
      ff_reproduction_text(study,
                           "the deepest point is %.0f times as far from the centre of pressure as "
                           "the centroid; over the patch that falls as d^%.2f",
                           part->point[0], part->point[1]),
      part->point[0], part->point[1]);
}

const ff_paper_part brown_foundation = {.compute = compute_part, .report = report_part};
