/* A way to a solution for an island of one body that resists: along the path from a problem that is
 * easy.
 *
 * With lambda = 0 contacts do not turn the body; it ends up turned as in free flight, and how it is
 * pushed off is soon found. With lambda = 1 the problem is ours. In between there is a curve of
 * solutions. The impulses are bounded, so it ends nowhere but at lambda = 1, though it may turn
 * back many times on the way: a needle that is hit at its tip turns by radians in one step. So what
 * is counted is its length, not lambda: predict along the tangent, correct at right angles to it.
 * Where friction begins to slide or a contact to press, the curve has a kink, and may go back the
 * way it came; the direction onwards is the one that keeps the sign of the determinant
 * [Allgower90].
 *
 * A path may be long: a needle that turns a hundred times about its axis makes it turn back as
 * often. But then solutions are many, and one is found from some start or other sooner than by
 * following it to its end.
 */
#include "math/vec.h"
#include "step/quasi/quasi_rigid.h"

#include <stdint.h>
#include <string.h>

enum { PLACES = 4000, CORRECTIONS = 8, KICKS = 128 };
#define FIRST    0.02 /* length of the first stride; unknowns are scaled to about 1, */
#define LONGEST  1.0  /* the longest, */
#define KINKED   1e-5 /* one that tells that there is a kink ahead, */
#define FAR      1e-2 /* how far ahead that may be, */
#define SHORTEST 1e-7 /* and one that leads nowhere */
#define NEAR     1e-9 /* rows at places on the way */

/* ---- room ------------------------------------------------------------------------------------ */

ff_status ff_quasi_make_path(ff_quasi *quasi, int limit) {
  ff_quasi_path *path = &quasi->path;
  size_t m = (size_t)limit + 1;
  path->limit = limit;
  double **vectors[] = {&path->unit, &path->row, &path->mass,    &path->y,      &path->next,
                        &path->f,    &path->z,   &path->tangent, &path->turned, &path->beyond};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = ff_arena_take(&quasi->arena, m, sizeof(double));
    if (!*vectors[i]) {
      return FF_ERROR_MEMORY;
    }
  }
  path->matrix = ff_arena_take(&quasi->arena, m * m, sizeof(double));
  path->jacobian = ff_arena_take(&quasi->arena, m * m, sizeof(double));
  path->start = ff_arena_take(&quasi->arena, m + 1, sizeof(int));
  path->index = ff_arena_take(&quasi->arena, m * m, sizeof(int));
  if (!path->matrix || !path->jacobian || !path->start || !path->index) {
    return FF_ERROR_MEMORY;
  }
  return ff_linear_create(&path->linear, limit + 1, path->start, path->index, false);
}

/* Every entry, for as many unknowns as there are now. */
static void lay_out(ff_quasi *quasi) {
  ff_quasi_path *path = &quasi->path;
  int m = quasi->size + 1;
  for (int j = 0; j <= m; j++) {
    path->start[j] = j * m;
  }
  for (int k = 0; k < m * m; k++) {
    path->index[k] = k % m;
  }
  ff_linear_resize(path->linear, m);
}

/* ---- scales --------------------------------------------------------------------------------- */

/* Units of unknowns and rows: what an impact at these speeds can do, and what turns by radians. */
static void find_units(ff_quasi *quasi) {
  ff_quasi_path *path = &quasi->path;
  double speed = 0, mass = 0;
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    const ff_model_body *m = &quasi->model->bodies[body->id];
    double fast = v3_norm(body->v) + m->bound * v3_norm(body->w0);
    double spin = m->mass * m->bound * fast;
    double least = fmin(m->inertia.x, fmin(m->inertia.y, m->inertia.z));
    spin = fmax(fmin(spin, 3 * least / quasi->h), 1e-3 * spin);
    for (int k = 0; k < FF_QUASI_BODY; k++) {
      int at = FF_QUASI_BODY * i + k;
      path->unit[at] = k < 3 ? fast : spin;
      path->row[at] = k < 3 ? m->mass * fast : spin;
      path->mass[at] = 1;
    }
    speed = fmax(speed, fast);
    mass = fmax(mass, m->mass);
  }
  for (int k = 0; k < quasi->member_count; k++) {
    const ff_quasi_element *e = quasi->members[k];
    for (int at = e->unknown; at < e->unknown + e->rows; at++) {
      path->unit[at] = mass * speed;
      path->row[at] = speed;
      path->mass[at] = e->mass;
    }
  }
}

/* Between the unknowns as they are and y. */
static void exchange(ff_quasi *quasi, double *y, bool take) {
  const double *unit = quasi->path.unit;
  for (int i = 0; i < FF_QUASI_BODY * quasi->node_count; i++) {
    int row = ff_blocks_row(quasi->blocks, quasi->solved_nodes[i / FF_QUASI_BODY]);
    double *x = &quasi->x[row + i % FF_QUASI_BODY];
    *(take ? &y[i] : x) = take ? *x / unit[i] : unit[i] * y[i];
  }
  for (int k = 0; k < quasi->member_count; k++) {
    ff_quasi_element *e = quasi->members[k];
    for (int i = 0; i < e->rows; i++) {
      int at = e->unknown + i;
      *(take ? &y[at] : &e->z[i]) = take ? e->z[i] / unit[at] : unit[at] * y[at];
    }
  }
}

/* ---- rows on the way ------------------------------------------------------------------------- */

/* Angular momentum that row i says is gained beyond free flight; false: another row. */
static bool is_turn(const ff_quasi *quasi, const double *z, int i, double *gain) {
  if (i >= FF_QUASI_BODY * quasi->node_count || i % FF_QUASI_BODY < 3) {
    return false;
  }
  const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i / FF_QUASI_BODY]);
  const double l[3] = {body->l.x, body->l.y, body->l.z};
  *gain = z[i] - l[i % 3];
  return true;
}

/* Row i at z and lambda, from what it is at lambda = 1; and its derivatives. */
static double row_at(const ff_quasi *quasi, const double *z, double lambda, double whole, int i) {
  const ff_quasi_path *path = &quasi->path;
  int n = quasi->size, m = n + 1;
  double gain, scale = 1 / path->row[i], by_lambda = 0, share = 1, f = whole;
  if (is_turn(quasi, z, i, &gain)) {
    by_lambda = whole - gain;
    f = gain + lambda * by_lambda;
    share = lambda;
  }
  double above = (z[i] - quasi->lower[i]) / path->mass[i];
  bool at_bound = above < f;
  for (int k = 0; k < n; k++) {
    double d = share * path->jacobian[k * n + i] + (i == k ? 1 - share : 0);
    d = at_bound ? (i == k) / path->mass[i] : d;
    path->matrix[k * m + i] = scale * d * path->unit[k];
  }
  path->matrix[n * m + i] = at_bound ? 0 : scale * by_lambda;
  return scale * (at_bound ? above : f);
}

/* Rows and the bordered matrix at y, which are unknowns and lambda; false: it is singular. */
static bool factor_at(ff_quasi *quasi, const double *y, const double *border, double *f) {
  ff_quasi_path *path = &quasi->path;
  int n = quasi->size, m = n + 1;
  for (int i = 0; i < n; i++) {
    path->z[i] = path->unit[i] * y[i];
  }
  ff_quasi_residual(quasi, path->z, f);
  ff_quasi_jacobian(quasi, path->z, path->jacobian);
  for (int i = 0; i < n; i++) {
    f[i] = row_at(quasi, path->z, y[n], f[i], i);
  }
  for (int k = 0; k < m; k++) {
    path->matrix[k * m + n] = border[k];
  }
  quasi->iterations++;
  return ff_linear_factor(path->linear, path->matrix);
}

/* ---- along the path ------------------------------------------------------------------------ */

static double largest_of(const double *f, int n) {
  double out = 0;
  for (int i = 0; i < n; i++) {
    out = fabs(f[i]) <= out ? out : fabs(f[i]); /* NAN stays */
  }
  return out;
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* Newton's method at right angles to the border, from y. */
static bool correct(ff_quasi *quasi, double *y, const double *border) {
  int n = quasi->size;
  double *f = quasi->path.f, last = INFINITY;
  for (int k = 0; k < CORRECTIONS; k++) {
    if (!factor_at(quasi, y, border, f)) {
      return false;
    }
    double off = largest_of(f, n);
    if (off < NEAR) {
      return true;
    }
    f[n] = 0;
    ff_linear_solve(quasi->path.linear, f);
    if ((!(off < last) && k > 3) || !(largest_of(f, n + 1) < 1)) {
      return false;
    }
    last = off;
    for (int i = 0; i <= n; i++) {
      y[i] -= f[i];
    }
  }
  return false;
}

/* The unit tangent at y, onwards, from one nearby; false: none. */
static bool find_tangent(ff_quasi *quasi, const double *y, const double *from, double *tangent) {
  int n = quasi->size;
  double *t = quasi->path.f;
  if (!factor_at(quasi, y, from, t)) {
    return false;
  }
  memset(t, 0, (size_t)n * sizeof *t);
  t[n] = 1;
  ff_linear_solve(quasi->path.linear, t);
  double sign = ff_linear_sign(quasi->path.linear), size = sqrt(dot(t, t, n + 1));
  quasi->path.sign = quasi->path.sign == 0 ? sign : quasi->path.sign;
  for (int i = 0; i <= n; i++) {
    tangent[i] = (sign == quasi->path.sign ? 1 : -1) / size * t[i];
  }
  return isfinite(size);
}

/* From y by a stride along a direction, and back onto the path: to next. */
static bool stride_on(ff_quasi *quasi, const double *along, double stride) {
  int n = quasi->size;
  ff_quasi_path *path = &quasi->path;
  for (int i = 0; i <= n; i++) {
    path->next[i] = path->y[i] + stride * along[i];
  }
  if (!correct(quasi, path->next, along)) {
    return false;
  }
  double way = 0;
  for (int i = 0; i <= n; i++) {
    way += (path->next[i] - path->y[i]) * (path->next[i] - path->y[i]);
  }
  return way < 4 * stride * stride;
}

/* Next becomes the place where we are; the direction there is in turned. */
static void arrive(ff_quasi *quasi) {
  size_t bytes = ((size_t)quasi->size + 1) * sizeof(double);
  memcpy(quasi->path.y, quasi->path.next, bytes);
  memcpy(quasi->path.tangent, quasi->path.turned, bytes);
}

/* Round a kink close ahead: in the direction of the far side. Returns the stride, 0 if none. */
static double round_kink(ff_quasi *quasi, double stride) {
  int n = quasi->size;
  ff_quasi_path *path = &quasi->path;
  for (double ahead = 4 * stride; ahead < FAR; ahead *= 4) {
    for (int i = 0; i <= n; i++) {
      path->next[i] = path->y[i] + ahead * path->tangent[i];
    }
    if (find_tangent(quasi, path->next, path->tangent, path->beyond) &&
        dot(path->beyond, path->tangent, n + 1) < 0.9999 &&
        stride_on(quasi, path->beyond, 2 * ahead) &&
        find_tangent(quasi, path->next, path->beyond, path->turned)) {
      arrive(quasi);
      return ahead;
    }
  }
  return 0;
}

/* Our problem, from where the path crosses it on its way to next. */
static bool finish(ff_quasi *quasi) {
  int n = quasi->size;
  ff_quasi_path *path = &quasi->path;
  double share = (1 - path->y[n]) / (path->next[n] - path->y[n]);
  for (int i = 0; i < n; i++) {
    path->f[i] = path->y[i] + share * (path->next[i] - path->y[i]);
  }
  exchange(quasi, path->f, false);
  return ff_quasi_newton(quasi);
}

/* The start of the path: bodies turn as they do without contacts. */
static bool begin(ff_quasi *quasi) {
  int n = quasi->size;
  ff_quasi_path *path = &quasi->path;
  quasi->turns = 0;
  bool good = ff_quasi_newton(quasi) || ff_quasi_ramp(quasi);
  quasi->turns = 1;
  exchange(quasi, path->y, true);
  memset(path->tangent, 0, ((size_t)n + 1) * sizeof(double));
  path->tangent[n] = 1;
  path->y[n] = path->sign = 0;
  good = good && correct(quasi, path->y, path->tangent) &&
         find_tangent(quasi, path->y, path->tangent, path->turned);
  memcpy(path->tangent, path->turned, ((size_t)n + 1) * sizeof(double));
  return good;
}

/* The whole path; it never comes back to where lambda is 0, but for a mistake. */
static bool follow(ff_quasi *quasi) {
  int n = quasi->size;
  ff_quasi_path *path = &quasi->path;
  double stride = FIRST;
  bool good = begin(quasi);
  for (int k = 0;
       good && k < PLACES && stride > SHORTEST && path->y[n] > -0.01 && !ff_quasi_must_end(quasi);
       k++) {
    if (!stride_on(quasi, path->tangent, stride)) {
      double ahead = stride < KINKED ? round_kink(quasi, stride) : 0;
      stride = ahead > 0 ? ahead : 0.5 * stride;
      continue;
    }
    if (path->next[n] >= 1 && finish(quasi)) {
      return true;
    }
    double bent = find_tangent(quasi, path->next, path->tangent, path->turned)
                      ? dot(path->turned, path->tangent, n + 1)
                      : -1;
    if ((bent < 0.8 && stride > 1e-4) || (path->next[n] >= 1 && stride > 1e-4)) {
      stride *= 0.5;
      continue;
    }
    arrive(quasi);
    stride = fmin(stride * (bent > 0.98 ? 1.5 : 1), LONGEST);
  }
  return false;
}

/* Numbers from -1 to 1, the same every time. */
static double draw(uint64_t *seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static ff_vec3 draw_vector(uint64_t *seed) {
  double x = draw(seed), y = draw(seed), z = draw(seed);
  return v3(x, y, z);
}

/* Another start, anywhere within what an impact at these speeds can do: what the leverage of the
 * whole body allows, or only what energy does, which is far less about a thin axis. */
static void kick(ff_quasi *quasi, bool levered, uint64_t *seed) {
  ff_quasi_start_free(quasi);
  double share = draw(seed);
  share *= share;
  for (int i = 0; i < quasi->node_count; i++) {
    const ff_quasi_body *body = ff_quasi_node(quasi, quasi->solved_nodes[i]);
    const ff_model_body *m = &quasi->model->bodies[body->id];
    double fast = share * quasi->path.unit[FF_QUASI_BODY * i];
    double *x = quasi->x + ff_blocks_row(quasi->blocks, body->node);
    ff_vec3 push = v3_scale(2 * fast, draw_vector(seed)), turn = draw_vector(seed);
    if (levered) {
      turn = v3_scale(m->mass * m->bound, turn);
    } else {
      ff_vec3 most = v3_scale(m->mass, m->inertia); /* sqrt: momentum with the energy of m, fast */
      turn = q_rotate(body->q, v3_mul(v3(sqrt(most.x), sqrt(most.y), sqrt(most.z)), turn));
    }
    v3_store(x, v3_add(v3_load(x), push));
    v3_store(x + 3, v3_axpy(v3_load(x + 3), fast, turn));
  }
}

/* Of so many that are levered the one whose rows are off least: each takes a hundredth of the time
 * that Newton's method takes to tell that a start leads nowhere. */
static void kick_well(ff_quasi *quasi, int count, uint64_t *seed) {
  uint64_t best = *seed;
  double least = INFINITY;
  for (int k = 0; k < count; k++) {
    uint64_t from = *seed;
    kick(quasi, true, seed);
    double off = ff_quasi_off_by(quasi);
    best = off < least ? from : best;
    least = lesser(off, least);
  }
  kick(quasi, true, &best);
}

bool ff_quasi_follow(ff_quasi *quasi) {
  if (quasi->size > quasi->path.limit) {
    return false;
  }
  lay_out(quasi);
  find_units(quasi);
  ff_quasi_start_free(quasi);
  return follow(quasi);
}

bool ff_quasi_start_anywhere(ff_quasi *quasi) {
  if (quasi->size > quasi->path.limit) {
    return false;
  }
  uint64_t seed = 1;
  bool solved = false;
  find_units(quasi);
  for (int k = 2; !solved && !ff_quasi_must_end(quasi); k++) {
    /* some steps need the one kind, some the other; the longer, the choosier */
    if (k % 2 == 0) {
      kick_well(quasi, k < 2 * KICKS ? k / 2 : KICKS, &seed);
    } else {
      kick(quasi, false, &seed);
    }
    solved = ff_quasi_newton(quasi) && !ff_quasi_is_thrown(quasi);
  }
  return solved;
}
