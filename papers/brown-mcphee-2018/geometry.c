/* Overlap of ellipsoid and plane, Sec. 3. */
#include "brown.h"

#include <math.h>

enum { TILTS = 3, DEPTHS = 40, DRAWN = 100 };

typedef struct geometry_part {
  double volume, centroid, exact, printed; /* worst relative errors against slices */
  double principal;                        /* of eq. 37 for normals along axes */
  double sphere;                           /* J_n / J_t of spheres - 2 */
  double j_exact, j_printed, v_ref;        /* the example of a fifth of the reach */
  double half;                             /* error of eq. 37 at half overlap */
  double tilt[TILTS];                      /* rad, from the shortest axis */
  double depth[DEPTHS], error[TILTS][DEPTHS];
} geometry_part;

static const ff_vec3 foot_axes = {0.12, 0.05, 0.03}, foot_normal = {0.6, -0.3, 0.7};

ff_volume_def brown_cut(ff_vec3 s, ff_vec3 n, double d, bool printed) {
  double size = sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
  ff_vec3 u = {n.x / size, n.y / size, n.z / size};
  double w = sqrt(s.x * s.x * u.x * u.x + s.y * s.y * u.y * u.y + s.z * s.z * u.z * u.z);
  double h = (d - 1) * w;
  return (ff_volume_def){FF_ELLIPSOID, s, {h * u.x, h * u.y, h * u.z}, n, printed};
}

ff_volume brown_volume(ff_reproduction *study, const ff_volume_def *def) {
  ff_volume out;
  ff_report report = {0};
  ff_status status = ff_volume_compute(&out, def, &report);
  if (status != FF_OK) {
    study->fail(study->context, status, &report);
  }
  return out;
}

ff_volume brown_overlap(ff_reproduction *study, ff_vec3 n, double d, bool printed) {
  ff_volume_def def = brown_cut(foot_axes, n, d, printed);
  return brown_volume(study, &def);
}

ff_volume_def brown_draw(ff_reproduction *study) {
  double s[3], n[3];
  for (int i = 0; i < 3; i++) {
    s[i] = 0.02 * pow(10, ff_reproduction_random(study));
    n[i] = 2 * ff_reproduction_random(study) - 1;
  }
  return brown_cut((ff_vec3){s[0], s[1], s[2]}, (ff_vec3){n[0], n[1], n[2]},
                   0.05 + 1.9 * ff_reproduction_random(study), false);
}

/* ---- slices ---------------------------------------------------------------------------------- */

/* Surface of the ellipsoid in the contact frame: p' q p = 1. */
static void quadric(const ff_volume_def *def, const ff_volume *about, double q[3][3]) {
  const double w[] = {1 / (def->size.x * def->size.x), 1 / (def->size.y * def->size.y),
                      1 / (def->size.z * def->size.z)};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      q[i][j] = 0;
      for (int k = 0; k < 3; k++) {
        q[i][j] += about->frame.m[i][k] * w[k] * about->frame.m[j][k];
      }
    }
  }
}

static double along(const ff_volume *about, int axis, ff_vec3 v) {
  const double *a = about->frame.m[axis];
  return a[0] * v.x + a[1] * v.y + a[2] * v.z;
}

/* A slice at height z above the centre is an ellipse with matrix B of the quadric's upper left:
 * centre -z B^-1 b, area pi rho / sqrt(det B), second moments area rho/4 B^-1 with
 * rho = 1 - z^2 (c - b' B^-1 b). All integrands are polynomials of degree 4 in z, which five points
 * of Gauss and Legendre integrate exactly. Nothing is stretched. */
brown_slices brown_integrate(const ff_volume_def *def, const ff_volume *about) {
  static const double at[5] = {-0.906179845938664, -0.538469310105683, 0, 0.538469310105683,
                               0.906179845938664};
  static const double weight[5] = {0.236926885056189, 0.478628670499366, 0.568888888888889,
                                   0.478628670499366, 0.236926885056189};
  double q[3][3];
  quadric(def, about, q);
  double det = q[0][0] * q[1][1] - q[0][1] * q[0][1];
  double ixx = q[1][1] / det, iyy = q[0][0] / det, ixy = -q[0][1] / det;
  double lean_x = -(ixx * q[0][2] + ixy * q[1][2]), lean_y = -(ixy * q[0][2] + iyy * q[1][2]);
  double rest = q[2][2] + q[0][2] * lean_x + q[1][2] * lean_y;
  double low = -1 / sqrt(rest), high = along(about, 2, def->point);
  double cx = along(about, 0, about->centroid), cy = along(about, 1, about->centroid);
  brown_slices sum = {0};
  for (int i = 0; i < 5; i++) {
    double z = 0.5 * (low + high) + 0.5 * (high - low) * at[i];
    double rho = 1 - z * z * rest, area = acos(-1.0) * rho / sqrt(det);
    double piece = area * weight[i] * 0.5 * (high - low);
    double x = z * lean_x - cx, y = z * lean_y - cy;
    sum.volume += piece;
    sum.x += piece * x;
    sum.y += piece * y;
    sum.z += piece * (high - z);
    sum.xx += piece * (x * x + rho / 4 * ixx);
    sum.yy += piece * (y * y + rho / 4 * iyy);
    sum.xy += piece * (x * y + rho / 4 * ixy);
  }
  sum.x /= sum.volume;
  sum.y /= sum.volume;
  sum.z /= sum.volume;
  return sum;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void compare(ff_reproduction *study, geometry_part *part, ff_volume_def def) {
  ff_volume v = brown_volume(study, &def);
  def.printed = true;
  ff_volume p = brown_volume(study, &def);
  brown_slices sum = brown_integrate(&def, &v);
  double radius = sqrt(v.J_contact.m[2][2] / v.volume), polar = sum.xx + sum.yy;
  double off = hypot(hypot(sum.x, sum.y), sum.z - v.centroid_depth);
  part->volume = fmax(part->volume, fabs(sum.volume / v.volume - 1));
  part->centroid = fmax(part->centroid, off / radius);
  part->exact = fmax(part->exact, fabs(v.J_contact.m[2][2] - polar) / polar);
  part->exact = fmax(part->exact, fabs(v.J_contact.m[0][0] - sum.yy) / polar);
  part->exact = fmax(part->exact, fabs(v.J_contact.m[0][1] + sum.xy) / polar);
  part->printed = fmax(part->printed, fabs(p.J_contact.m[2][2] / polar - 1));
}

/* Eq. 37 for a normal along an axis, against slices. */
static double principal(ff_reproduction *study, ff_vec3 normal, double d) {
  ff_volume_def def = brown_cut(foot_axes, normal, d, true);
  ff_volume v = brown_volume(study, &def);
  brown_slices sum = brown_integrate(&def, &v);
  return fabs(v.J_contact.m[2][2] / (sum.xx + sum.yy) - 1);
}

static double shortfall(ff_reproduction *study, ff_vec3 normal, double d) {
  double exact = brown_overlap(study, normal, d, false).J_contact.m[2][2];
  return brown_overlap(study, normal, d, true).J_contact.m[2][2] / exact - 1;
}

/* J_n / J_t - 2 of a sphere, eqs. 5 and 6. */
static double sphere_ratio(ff_reproduction *study, double d) {
  ff_volume_def def = brown_cut((ff_vec3){0.1, 0.1, 0.1}, foot_normal, d, false);
  def.kind = FF_SPHERE;
  ff_volume v = brown_volume(study, &def);
  return fabs(v.J_contact.m[2][2] / v.J_contact.m[0][0] - 2);
}

static void *compute_part(ff_reproduction *study) {
  geometry_part *part = ff_reproduction_alloc(study, 1, sizeof *part);
  for (int i = 0; i < 4; i++) {
    compare(study, part, brown_cut(foot_axes, foot_normal, 0.2 + 0.4 * i, false));
  }
  for (int i = 0; i < DRAWN; i++) {
    compare(study, part, brown_draw(study));
  }
  static const ff_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    part->principal = fmax(part->principal, principal(study, axes[i], 0.7));
    part->sphere = fmax(part->sphere, sphere_ratio(study, 0.3 + 0.6 * i));
  }
  ff_volume v = brown_overlap(study, foot_normal, 0.2, false);
  part->v_ref = v.volume;
  part->j_exact = v.J_contact.m[2][2];
  part->j_printed = brown_overlap(study, foot_normal, 0.2, true).J_contact.m[2][2];
  part->half = shortfall(study, foot_normal, 1);
  for (int t = 0; t < TILTS; t++) {
    part->tilt[t] = 0.2 * (t + 1);
    for (int i = 0; i < DEPTHS; i++) {
      part->depth[i] = 2.0 * (i + 1) / DEPTHS;
      ff_vec3 n = {sin(part->tilt[t]), 0, cos(part->tilt[t])};
      part->error[t][i] = 100 * shortfall(study, n, part->depth[i]);
    }
  }
  ff_reproduction_number(study, "overlap.volume", part->v_ref, "m^3");
  ff_reproduction_number(study, "overlap.J_nn.exact", part->j_exact, "m^5");
  ff_reproduction_number(study, "overlap.J_nn.printed", part->j_printed, "m^5");
  return part;
}

static void report_part(ff_reproduction *study, const void *computed) {
  const geometry_part *part = computed;
  ff_reproduction_judge(study, "volume",
                        ff_reproduction_text(study, "slices within %.1e", part->volume),
                        part->volume);
  ff_reproduction_judge(
      study, "centroid",
      ff_reproduction_text(study, "%.1e of the radius of gyration off slices", part->centroid),
      part->centroid);
  ff_reproduction_judge(study, "perpendicular-axis",
                        ff_reproduction_text(study, "J_n / J_t = 2 within %.1e", part->sphere),
                        part->sphere);
  ff_reproduction_judge(study, "second-moment",
                        ff_reproduction_text(study,
                                             "%.1f %% off slices; %.6g for %.6g m^5 at d = 0.2, "
                                             "%.0f %% at d = 1",
                                             100 * part->printed, part->j_printed, part->j_exact,
                                             100 * part->half),
                        part->printed);
  ff_reproduction_judge(study, "second-moment-exact",
                        ff_reproduction_text(study, "slices within %.1e", part->exact),
                        part->exact);
  ff_reproduction_judge(study, "second-moment-axes",
                        ff_reproduction_text(study, "slices within %.1e", part->principal),
                        part->principal);
}

static void show_part(ff_reproduction *study, const void *computed) {
  const geometry_part *part = computed;
  ff_page_section(study->page, "What eq. 37 misses");
  ff_page_text(study->page,
               "Moment about the normal by eq. 37 against the exact one, semi-axes 12, 5 and 3 cm, "
               "plane tilted about the second axis; depth in units of the distance from the centre "
               "to the tangent plane, 2 being complete overlap.");
  ff_page_plot(study->page, "Error of eq. 37", (ff_axis){"depth d", "1", false},
               (ff_axis){"J_nn printed over exact − 1", "%", false});
  for (int t = 0; t < TILTS; t++) {
    ff_page_curve(study->page, ff_reproduction_text(study, "tilt %.1f rad", part->tilt[t]),
                  FF_CURVE_LINE, part->depth, part->error[t], DEPTHS);
  }
}

const ff_paper_part brown_geometry = {
    .compute = compute_part, .report = report_part, .show = show_part};
