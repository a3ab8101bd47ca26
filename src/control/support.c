/* Support polygon. */
#include "control/controller.h"
#include "math/elementary.h"

/* Signed distance of a point left of the line from a to b, times its length. */
static double cross_xy(ff_vec3 a, ff_vec3 b, ff_vec3 point) {
  return (b.x - a.x) * (point.y - a.y) - (b.y - a.y) * (point.x - a.x);
}

static double distance_xy(ff_vec3 a, ff_vec3 b) {
  return ff_hypot(b.x - a.x, b.y - a.y);
}

/* Next corner of the hull after `from`: no point lies right of the line to it. */
static int hull_next_corner(const ff_vec3 *points, int count, int from) {
  int best = from == 0 ? 1 : 0;
  for (int k = 0; k < count; k++) {
    double turn = cross_xy(points[from], points[best], points[k]);
    bool farther = distance_xy(points[from], points[k]) > distance_xy(points[from], points[best]);
    if (k != from && (turn < 0 || (turn == 0 && farther))) {
      best = k;
    }
  }
  return best;
}

ff_support ff_support_of(const ff_vec3 *points, int count) {
  ff_support out = {.count = 0};
  int first = 0;
  for (int k = 1; k < count; k++) {
    if (points[k].x < points[first].x ||
        (points[k].x == points[first].x && points[k].y < points[first].y)) {
      first = k;
    }
  }
  int at = first;
  do { /* gift wrapping */
    out.corners[out.count++] = points[at];
    at = hull_next_corner(points, count, at);
  } while (at != first && out.count < FF_SUPPORT_MAX && out.count < count);
  return out;
}

double ff_support_margin(const ff_support *support, ff_vec3 point) {
  double margin = INFINITY;
  for (int k = 0; k < support->count; k++) {
    ff_vec3 a = support->corners[k], b = support->corners[(k + 1) % support->count];
    double length = distance_xy(a, b);
    if (length > 0) {
      margin = fmin(margin, cross_xy(a, b, point) / length);
    }
  }
  return margin;
}

ff_vec3 ff_support_nearest(const ff_support *support, ff_vec3 point) {
  if (support->count == 0 || ff_support_margin(support, point) >= 0) {
    return point;
  }
  ff_vec3 best = point;
  double least = INFINITY;
  for (int k = 0; k < support->count; k++) {
    ff_vec3 a = support->corners[k], b = support->corners[(k + 1) % support->count];
    double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    double s = square > 0 ? (dx * (point.x - a.x) + dy * (point.y - a.y)) / square : 0;
    s = fmax(0, fmin(1, s));
    ff_vec3 near = {a.x + s * dx, a.y + s * dy, point.z};
    if (distance_xy(near, point) < least) {
      least = distance_xy(near, point);
      best = near;
    }
  }
  return best;
}
