/* The section of a shape with a plane: its outline in straight sides and arcs of ellipses. */
#include "geom/shape.h"
#include "math/elementary.h"

/* ---- ellipsoids: a circle of the unit sphere, stretched ------------------------------------- */

int ff_outline_ellipse(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc *out) {
  ff_vec3 s = geom->kind == FF_SPHERE ? v3(geom->size.x, geom->size.x, geom->size.x) : geom->size;
  ff_vec3 sn = v3_mul(s, cut->normal);
  double per_w = 1 / v3_norm(sn);
  ff_vec3 m = v3_scale(per_w, sn), e1 = v3_unit(v3(t1.x / s.x, t1.y / s.y, t1.z / s.z));
  ff_vec3 e2 = v3_cross(m, e1);
  double radius = per_w * sqrt(cut->depth * cut->rest);
  double above = 0.5 * per_w * (cut->rest - cut->depth); /* the centre over the plane */
  ff_vec3 p = v3_scale(radius, v3_mul(s, e1)), q = v3_scale(radius, v3_mul(s, e2));
  *out = (ff_arc){.start = v3_axpy(p, -above, v3_mul(s, m)), .p = p, .q = q, .turn = 2 * ff_pi};
  return 1;
}

/* ---- round about z ---------------------------------------------------------------------------
 *
 * In the picture of overlap_round.c the plane is s x + c z = height, with the coordinates
 * t, along (c, 0, -s), and y. The outline is symmetric in y. Half of it, from the largest t to
 * the smallest, is made of bows of ellipses. */

typedef struct bow {
  double slope, offset; /* cos(a) = slope t + offset: 1 / slope is the semi-axis along t */
  double across;        /* the semi-axis along y */
  double from, to;      /* t, from > to */
} bow;

static double cosine_at(const bow *b, double t) {
  return fmin(fmax(b->slope * t + b->offset, -1), 1);
}

static double width_at(const bow *b, double t) {
  double cosine = cosine_at(b, t);
  return b->across * sqrt((1 - cosine) * (1 + cosine));
}

typedef struct round_plane {
  ff_round_picture p;
  double height;
  ff_vec3 along; /* unit, t */
} round_plane;

static ff_vec3 outline_point(const round_plane *plane, double t, double y) {
  const ff_round_picture *p = &plane->p;
  double x = plane->height * p->s + t * p->c, z = plane->height * p->c - t * p->s;
  return v3_axpy(v3_axpy(v3_scale(x, p->ex), y, p->ey), z, p->ez);
}

static ff_arc straight(ff_vec3 from, ff_vec3 to) {
  return (ff_arc){.start = from, .p = v3_sub(to, from)};
}

/* The bow on the side y > 0 (sign 1), walked towards smaller t, or on the other, walked back. */
static ff_arc arc_of(const round_plane *plane, const bow *b, double sign) {
  double begin = sign > 0 ? b->from : b->to, end = sign > 0 ? b->to : b->from;
  double y = sign * width_at(b, begin);
  if (b->slope * (b->from - b->to) < 1e-6) { /* too flat to tell from a straight side */
    return straight(outline_point(plane, begin, y),
                    outline_point(plane, end, sign * width_at(b, end)));
  }
  double from = ff_acos(cosine_at(b, begin)), to = ff_acos(cosine_at(b, end));
  if (sign < 0) {
    from = 2 * ff_pi - from;
    to = 2 * ff_pi - to;
  }
  return (ff_arc){.start = outline_point(plane, begin, y),
                  .p = v3_scale(1 / b->slope, plane->along),
                  .q = v3_scale(b->across, plane->p.ey),
                  .from = from,
                  .turn = to - from};
}

/* Once around: the bows on one side, the flat end if there is one, and back. */
static int go_round(const round_plane *plane, const bow *bows, int count, ff_arc *out) {
  int n = 0;
  for (int i = 0; i < count; i++) {
    out[n++] = arc_of(plane, &bows[i], 1);
  }
  const bow *last = &bows[count - 1], *first = &bows[0];
  double y = width_at(last, last->to);
  if (y > 0) {
    out[n++] = straight(outline_point(plane, last->to, y), outline_point(plane, last->to, -y));
  }
  for (int i = count - 1; i >= 0; i--) {
    out[n++] = arc_of(plane, &bows[i], -1);
  }
  y = width_at(first, first->from);
  if (y > 0) {
    out[n++] =
        straight(outline_point(plane, first->from, -y), outline_point(plane, first->from, y));
  }
  return n;
}

/* What the plane cuts of the ball about the end z = end, at a height over its centre. */
static bow ball_bow(const ff_round_picture *p, double end, double over, double from, double to) {
  double square = (p->radius - over) * (p->radius + over);
  if (!(square > 0)) {
    return (bow){0};
  }
  double size = sqrt(square);
  return (bow){1 / size, end * p->s / size, size, from, to};
}

int ff_outline_round(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc *out) {
  (void)t1;
  round_plane plane = {.p = ff_round_picture_of(geom, cut->normal)};
  const ff_round_picture *p = &plane.p;
  double half = p->half, flat = fmax(p->s, 1e-300);
  double height = plane.height = 0.5 * (cut->depth - cut->rest);
  plane.along = v3_axpy(v3_scale(p->c, p->ex), -p->s, p->ez);
  /* Where the plane leaves the straight part at its lower and its upper end. */
  double low = (height * p->c + half) / flat, high = (height * p->c - half) / flat;
  bow bows[3] = {[1] = {p->c / p->radius, height * p->s / p->radius, p->radius, low, high}};
  if (geom->kind == FF_CAPSULE) {
    bows[0] = ball_bow(p, -half, height + p->c * half, INFINITY, low);
    bows[2] = ball_bow(p, half, height - p->c * half, high, -INFINITY);
  }
  int count = 0;
  for (int i = 0; i < 3; i++) {
    bow b = bows[i];
    b.from = fmin(b.from, (1 - b.offset) / b.slope);
    b.to = fmax(b.to, (-1 - b.offset) / b.slope);
    if (b.across > 0 && b.from > b.to) {
      bows[count++] = b;
    }
  }
  return count == 0 ? 0 : go_round(&plane, bows, count, out);
}

int ff_geom_outline(const ff_geom *geom, const ff_cut *cut, ff_vec3 t1, ff_arc out[FF_ARCS_MAX]) {
  if (!(cut->depth > 0 && cut->rest > 0)) {
    return 0;
  }
  const ff_shape_ops *ops = ff_shapes[geom->kind];
  return ops->outline ? ops->outline(geom, cut, t1, out) : 0;
}

ff_vec3 ff_arc_at(const ff_arc *arc, double part) {
  if (arc->turn == 0) {
    return v3_axpy(arc->start, part, arc->p);
  }
  /* Differences of cosines and sines as products: nothing is lost on short arcs. */
  double half = 0.5 * part * arc->turn, sine = 2 * ff_sin(half), mid = arc->from + half;
  return v3_axpy(v3_axpy(arc->start, -sine * ff_sin(mid), arc->p), sine * ff_cos(mid), arc->q);
}
