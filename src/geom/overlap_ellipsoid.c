/* An ellipsoid below a plane: a spherical cap, stretched.
 *
 * Citation: [Brown18 eq. 1-37]. With S the stretch (the semi-axes), w = |S n| the distance from
 * the centre down to the deepest point, d = depth / w and m = S n / w, the overlap is the cap of
 * height d that a unit sphere has below a plane with normal m, stretched by S. The cap has
 *
 *   volume               pi d^2 (3 - d) / 3                            [eq. 2]
 *   centroid below plane d (4 - d) / (4 (3 - d))                       [eq. 4, without
 * cancellation] spread across m      pi d^3 (3 d^2 - 15 d + 20) / 60               [eq. 6] spread
 * along m       pi d^4 (3 d^2 - 24 d + 40) / (240 (3 - d))
 *
 * the last two being second moments about the centroid.
 *
 * Departure: eq. 37 stretches the moments of the cap after it was pressed flat along m. But
 * the direction in which the ellipsoid is pressed flat is n, and S^-1 n is not m. What is
 * missing is the spread along m where it shows in the plane: the vector g = S m - (n.S m) n.
 */
#include "geom/overlap.h"

typedef struct stretch {
  ff_vec3 s;      /* semi-axes */
  ff_vec3 m, sm;  /* unit normal in the unit sphere's space; stretched back */
  double w;       /* from the centre to the deepest point */
  double abc;     /* product of the semi-axes */
  double d, rest; /* depth in the unit sphere, up to 2; what is left of 2 */
} stretch;

static stretch stretch_of(const ff_geom *geom, const ff_cut *cut) {
  ff_vec3 s = geom->kind == FF_SPHERE ? v3(geom->size.x, geom->size.x, geom->size.x) : geom->size;
  ff_vec3 sn = v3_mul(s, cut->normal);
  double w = v3_norm(sn), d = cut->depth / w, rest = cut->rest / w;
  ff_vec3 m = v3_scale(1.0 / w, sn);
  stretch out = {s, m, v3_mul(s, m), w, s.x * s.y * s.z, d, rest};
  /* A plane above or below the whole is as good as one that just touches it. */
  out.d = d < 0 ? 0 : d > 2 ? 2 : d;
  out.rest = rest < 0 ? 0 : rest > 2 ? 2 : rest;
  return out;
}

/* Spread across m of the cap, stretched: abc across S (1 - m m^T) S, which already lies in the
 * plane. Written out so that its diagonal is a sum of squares. */
static void add_across(const stretch *f, ff_mat3 *spread) {
  double d = f->d;
  double across = f->abc * ff_pi / 60 * d * d * d * (20 + d * (3 * d - 15));
  const double s[3] = {f->s.x, f->s.y, f->s.z}, m[3] = {f->m.x, f->m.y, f->m.z};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    spread->m[i][i] = across * s[i] * s[i] * (m[j] * m[j] + m[k] * m[k]);
    spread->m[i][j] = spread->m[j][i] = -across * s[i] * s[j] * m[i] * m[j];
  }
}

void ff_overlap_spread_printed(const ff_geom *geom, const ff_cut *cut, ff_mat3 *spread) {
  stretch f = stretch_of(geom, cut);
  add_across(&f, spread);
}

/* Spread along m, where the plane sees it. */
static void add_along(const stretch *f, ff_vec3 normal, ff_mat3 *spread) {
  double d = f->d;
  double along = f->abc * ff_pi / 240 * (d * d) * (d * d) * (40 + d * (3 * d - 24)) / (3 - d);
  ff_vec3 seen = v3_axpy(f->sm, -f->w, normal);
  const double g[3] = {seen.x, seen.y, seen.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      spread->m[i][j] += along * g[i] * g[j];
    }
  }
}

void ff_overlap_ellipsoid(const ff_geom *geom, const ff_cut *cut, ff_slab *out) {
  stretch f = stretch_of(geom, cut);
  double d = f.d, rest = f.rest;
  out->volume = f.abc * ff_pi / 3 * d * d * (3 - d);
  out->area = f.abc / f.w * ff_pi * d * rest;
  out->centroid = v3_scale(-0.75 * rest * rest / (3 - d), f.sm);
  /* A plane above the whole sees the centre. */
  double above = cut->rest < 0 ? -cut->rest : 0;
  out->centroid_depth = f.w * d * (4 - d) / (4 * (3 - d)) + above;
  add_across(&f, &out->spread);
  if (geom->kind == FF_ELLIPSOID) {
    add_along(&f, cut->normal, &out->spread);
  }
}
