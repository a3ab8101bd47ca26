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
  double w = v3_norm(sn), per_w = 1 / w, d = cut->depth * per_w, rest = cut->rest * per_w;
  ff_vec3 m = v3_scale(per_w, sn);
  stretch out = {s, m, v3_mul(s, m), w, s.x * s.y * s.z, d, rest};
  /* A plane above or below the whole is as good as one that just touches it. */
  out.d = d < 0 ? 0 : d > 2 ? 2 : d;
  out.rest = rest < 0 ? 0 : rest > 2 ? 2 : rest;
  return out;
}

/* A symmetric matrix. */
static ff_mat3 symmetric(double xx, double yy, double zz, double xy, double xz, double yz) {
  return (ff_mat3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

/* Spread across m of the cap, stretched: across S (1 - m m^T) S abc, which already lies in the
 * plane. Written out so that its diagonal is a sum of squares. */
static ff_mat3 spread_across(const stretch *f) {
  double d = f->d;
  double across = ff_pi / 60 * f->abc * (d * d) * d * (20 + d * (3 * d - 15));
  ff_vec3 s = f->s, m = f->m, p = f->sm; /* p = S m */
  double xx = m.x * m.x, yy = m.y * m.y, zz = m.z * m.z;
  return symmetric(across * s.x * s.x * (yy + zz), across * s.y * s.y * (zz + xx),
                   across * s.z * s.z * (xx + yy), -across * p.x * p.y, -across * p.x * p.z,
                   -across * p.y * p.z);
}

void ff_overlap_spread_printed(const ff_geom *geom, const ff_cut *cut, ff_mat3 *spread) {
  stretch f = stretch_of(geom, cut);
  *spread = spread_across(&f);
}

/* Adds the spread along m, where the plane sees it. */
static ff_mat3 with_along(ff_mat3 a, const stretch *f, ff_vec3 normal, double along) {
  ff_vec3 g = v3_axpy(f->sm, -f->w, normal);
  return symmetric(a.m[0][0] + along * g.x * g.x, a.m[1][1] + along * g.y * g.y,
                   a.m[2][2] + along * g.z * g.z, a.m[0][1] + along * g.x * g.y,
                   a.m[0][2] + along * g.x * g.z, a.m[1][2] + along * g.y * g.z);
}

void ff_overlap_ellipsoid(const ff_geom *geom, const ff_cut *cut, ff_slab *out) {
  stretch f = stretch_of(geom, cut);
  double d = f.d, rest = f.rest, per = 1 / (3 - d);
  out->volume = ff_pi / 3 * f.abc * (d * d) * (3 - d);
  out->area = ff_pi * f.abc * d * rest / f.w;
  out->centroid = v3_scale(-0.75 * rest * rest * per, f.sm);
  /* A plane above the whole sees the centre. */
  double above = cut->rest < 0 ? -cut->rest : 0;
  out->centroid_depth = 0.25 * f.w * d * (4 - d) * per + above;
  double along = ff_pi / 240 * f.abc * (d * d) * (d * d) * (40 + d * (3 * d - 24)) * per;
  out->rise = v3_scale(along * f.w, f.sm);
  out->spread = spread_across(&f);
  if (geom->kind == FF_ELLIPSOID) {
    out->spread = with_along(out->spread, &f, cut->normal, along);
  }
}
