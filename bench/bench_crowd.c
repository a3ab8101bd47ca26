/* Crowds: piles of spheres, boxes and both that fall into a box, beside Bullet and ODE in the same
 * process, in CPU time of the thread; and growth with the number of bodies.
 *
 *   bench_crowd                          all rows, about ten minutes
 *   bench_crowd short                    small piles and few steps: does every row run?
 *   bench_crowd growth [COUNT]           free flight of up to 1e5 or COUNT spheres
 *   bench_crowd humanoids                100 humanoids on a floor
 *   bench_crowd KIND COUNT STEPPER...    one pile: spheres, boxes or mixed; steppers, `bullet`,
 *                                        `ode`
 *   bench_crowd threads KIND COUNT STEPPER
 *                                        one pile on 1, 2, 3 and 8 threads: the same bits, and how
 *                                        much sooner; needs as many idle cores
 *
 * Columns: ms a step while the pile forms (0 to 0.5 s) and when it has settled (0.5 to 0.7 s), both
 * over Bullet's, contacts, sweeps a step, deepest penetration over the radius, energy residual over
 * the energy moved, verdict of the audit, s to create, kB a body, checksum of the state. Rows with
 * two threads have the elapsed time of the caller, others its CPU time. */
#include <malloc.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "crowd_peers.h"
#include "footfall/footfall.h"
#include "targets.h"

static const double RADIUS = 0.0165, MASS = 0.154, STEP = 1e-3, MU = 0.5; /* m, kg, s, 1 */
static int forming_steps = 500, settled_steps = 200;
static bool is_short; /* smaller piles */

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double elapsed_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (double)info.uordblks + (double)info.hblkhd;
}

static void need(ff_status status) {
  if (status != FF_OK) {
    fprintf(stderr, "bench_crowd: %s\n", ff_status_text(status));
    exit(1);
  }
}

static double draw(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (1 << 24);
}

/* ---- piles ----------------------------------------------------------------------------------- */

/* Bodies on a lattice, each a little aside, in a box that is as wide as they are high. */
static crowd_pile make_pile(const char *kind, int count) {
  int side = (int)ceil(cbrt(count) - 1e-9);
  double apart = 2.2 * RADIUS, width = side * apart;
  crowd_body *bodies = calloc((size_t)count, sizeof *bodies);
  unsigned seed = 12345;
  for (int i = 0; i < count; i++) {
    crowd_body *b = &bodies[i];
    bool box = strcmp(kind, "boxes") == 0 || (strcmp(kind, "mixed") == 0 && i % 2);
    double aside = 0.08 * RADIUS, half = box ? 0.8 * RADIUS : 0;
    double x = aside * (2 * draw(&seed) - 1), y = aside * (2 * draw(&seed) - 1);
    b->position[0] = -width / 2 + (i % side + 0.5) * apart + x;
    b->position[1] = -width / 2 + (i / side % side + 0.5) * apart + y;
    b->position[2] = 1.5 * RADIUS + i / (side * side) * apart + aside * draw(&seed);
    b->half[0] = box ? half : RADIUS;
    b->half[1] = b->half[2] = half;
    b->mass = MASS;
  }
  return (crowd_pile){bodies, count, width, STEP, MU};
}

static void drop_pile(crowd_pile *pile) {
  free((void *)(uintptr_t)pile->bodies);
}

static void add_plane(ff_scene *scene, const char *name, ff_vec3 at, ff_quat turn) {
  ff_body body;
  ff_shape shape;
  ff_body_def def = ff_body_def_default();
  def.name = name;
  def.kind = FF_BODY_FIXED;
  def.position = at;
  def.orientation = turn;
  ff_shape_def solid = ff_shape_def_default();
  solid.kind = FF_HALF_SPACE;
  need(ff_scene_add_body(&body, scene, &def));
  need(ff_scene_add_shape(&shape, scene, body, &solid));
}

/* Laws of about the same stiffness for each stepper: at rest under a few bodies they yield as much
 * as Bullet's contacts do. */
static void set_laws(ff_scene *scene, const char *stepper) {
  static const char *spring[] = {"k", "n", "alpha"}, *layer[] = {"k", "c", "max_deflection"};
  static const char *elastic[] = {"k", "c"}, *dry[] = {"mu_static", "mu_kinetic"};
  static const char *disc[] = {"mu", "e_r"};
  const double k = 3e5, c = 2 * sqrt(k * MASS / 2);
  const double spring_values[] = {k, 1, 5}, layer_values[] = {k, c, 1.5e-3};
  const double elastic_values[] = {k, c}, dry_values[] = {MU, MU}, disc_values[] = {MU, 0.0033};
  ff_contact_def def = ff_contact_def_default();
  def.a = def.b = "*";
  bool quasi = strcmp(stepper, "quasi-rigid") == 0, micro = strcmp(stepper, "micro-macro") == 0;
  def.normal.law = quasi ? "quasi-rigid" : micro ? "elastic" : "hunt-crossley";
  def.normal.names = quasi ? layer : micro ? elastic : spring;
  def.normal.values = quasi ? layer_values : micro ? elastic_values : spring_values;
  def.normal.count = micro ? 2 : 3;
  def.friction.law = quasi ? "ellipsoidal" : "coulomb";
  def.friction.names = quasi ? disc : dry;
  def.friction.values = quasi ? disc_values : dry_values;
  def.friction.count = 2;
  need(ff_scene_add_contact(scene, &def));
}

static ff_model *make_model(const crowd_pile *pile, const char *stepper) {
  const double h = sqrt(0.5), far = pile->width / 2;
  ff_scene *scene;
  ff_model *model;
  need(ff_scene_create(&scene));
  add_plane(scene, "floor", (ff_vec3){0, 0, 0}, (ff_quat){1, 0, 0, 0});
  add_plane(scene, "west", (ff_vec3){-far, 0, 0}, (ff_quat){h, 0, h, 0});
  add_plane(scene, "east", (ff_vec3){far, 0, 0}, (ff_quat){h, 0, -h, 0});
  add_plane(scene, "south", (ff_vec3){0, -far, 0}, (ff_quat){h, -h, 0, 0});
  add_plane(scene, "north", (ff_vec3){0, far, 0}, (ff_quat){h, h, 0, 0});
  for (int i = 0; i < pile->count; i++) {
    const crowd_body *b = &pile->bodies[i];
    char name[16];
    ff_body body;
    ff_shape shape;
    ff_body_def def = ff_body_def_default();
    ff_shape_def solid = ff_shape_def_default();
    snprintf(name, sizeof name, "b%d", i);
    def.name = name;
    def.mass = b->mass;
    def.position = (ff_vec3){b->position[0], b->position[1], b->position[2]};
    solid.kind = b->half[1] > 0 ? FF_BOX : FF_SPHERE;
    solid.size = (ff_vec3){b->half[0], b->half[1], b->half[2]};
    need(ff_scene_add_body(&body, scene, &def));
    need(ff_scene_add_shape(&shape, scene, body, &solid));
  }
  set_laws(scene, stepper);
  ff_run_def run = ff_run_def_default();
  run.stepper.kind = stepper;
  run.stepper.step = pile->step;
  need(ff_scene_set_run(scene, &run));
  need(ff_model_build(&model, scene, NULL));
  ff_scene_destroy(&scene);
  return model;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct row {
  const char *name;
  double create;         /* s */
  double forming, after; /* s a step */
  int contacts;
  double depth;    /* m */
  double residual; /* 1; NAN: not known */
  int verdict;
  double kilobytes; /* a body */
  double turns;     /* of the solver, a step */
  uint64_t hash;
  double elapsed; /* s a step while the pile forms */
} row;

static row run_peer(const crowd_peer *peer, const crowd_pile *pile) {
  row out = {.name = peer->name, .residual = NAN};
  double before = bytes_in_use(), start = thread_time();
  void *world = peer->create(pile);
  out.create = thread_time() - start;
  start = thread_time();
  for (int i = 0; i < forming_steps; i++) {
    peer->step(world);
  }
  out.forming = (thread_time() - start) / forming_steps;
  peer->measure(world, &out.contacts, &out.depth);
  start = thread_time();
  for (int i = 0; i < settled_steps; i++) {
    peer->step(world);
  }
  out.after = (thread_time() - start) / settled_steps;
  out.kilobytes = 1e-3 * (bytes_in_use() - before) / pile->count;
  peer->destroy(world);
  return out;
}

static double deepest(const ff_sim *sim, int *count) {
  *count = ff_sim_contact_count(sim);
  ff_contact *contacts = calloc((size_t)*count + 1, sizeof *contacts);
  double depth = 0;
  ff_sim_contacts(sim, contacts, *count);
  for (int i = 0; i < *count; i++) {
    depth = fmax(depth, contacts[i].patch.depth);
  }
  free(contacts);
  return depth;
}

static uint64_t hash_of(const ff_sim *sim, int bodies) {
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < bodies; i++) {
    ff_body_state body = ff_sim_body(sim, (ff_body){.id = i + 1});
    const unsigned char *bytes = (const unsigned char *)&body.position;
    for (size_t k = 0; k < sizeof body.position; k++) {
      hash = (hash ^ bytes[k]) * 1099511628211u;
    }
  }
  return hash;
}

/* A sim of this model through both phases. count: free bodies or robots. */
static row run_model(const char *name, ff_model *model, int count, int bodies, int threads,
                     double before, double create) {
  row out = {.name = name};
  ff_sim *sim;
  double start = thread_time();
  need(ff_sim_create(&sim, model));
  need(ff_sim_set_threads(sim, threads));
  out.create = create + thread_time() - start;
  double elapsed = elapsed_time();
  start = thread_time();
  for (int i = 0; i < forming_steps; i++) {
    need(ff_sim_step(sim));
  }
  out.elapsed = (elapsed_time() - elapsed) / forming_steps;
  out.forming = threads > 1 ? out.elapsed : (thread_time() - start) / forming_steps;
  out.depth = deepest(sim, &out.contacts);
  elapsed = elapsed_time();
  start = thread_time();
  for (int i = 0; i < settled_steps; i++) {
    need(ff_sim_step(sim));
  }
  out.after = (threads > 1 ? elapsed_time() - elapsed : thread_time() - start) / settled_steps;
  ff_audit audit = ff_sim_audit(sim);
  out.residual = audit.energy_residual / audit.energy_scale;
  out.verdict = audit.verdict;
  out.turns = (double)ff_sim_solver(sim).iterations / (forming_steps + settled_steps);
  out.hash = hash_of(sim, bodies);
  out.kilobytes = 1e-3 * (bytes_in_use() - before) / count;
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  return out;
}

static row run_footfall(const char *stepper, const crowd_pile *pile, int threads) {
  enum { WALLS = 5 };
  double before = bytes_in_use(), start = thread_time();
  ff_model *model = make_model(pile, stepper);
  double create = thread_time() - start;
  const char *name = threads > 1 ? "  threads" : stepper;
  return run_model(name, model, pile->count, WALLS + pile->count, threads, before, create);
}

static void print_head(void) {
  printf("%-18s %8s %8s %7s %7s %8s %6s %8s %9s %7s %8s %7s  %s\n", "", "forming", "settled",
         "/Bullet", "/Bullet", "contacts", "sweeps", "depth/r", "residual", "verdict", "create s",
         "kB/body", "state");
}

static void print_row(const row *of, const row *bullet) {
  printf("%-18s %8.3f %8.3f %7.2f %7.2f %8d %6.1f %8.4f %9.1e %7d %8.3f %7.2f  %016llx\n", of->name,
         1e3 * of->forming, 1e3 * of->after, bullet ? of->forming / bullet->forming : NAN,
         bullet ? of->after / bullet->after : NAN, of->contacts, of->turns, of->depth / RADIUS,
         of->residual, of->verdict, of->create, of->kilobytes, (unsigned long long)of->hash);
  fflush(stdout);
}

/* ---- all rows -------------------------------------------------------------------------------- */

/* One thread and two: the same bits, and how much sooner. */
static void judge_threads(const char *stepper, const crowd_pile *pile, const row *one,
                          const row *bullet) {
  enum { MANY = 1000 };
  row two = run_footfall(stepper, pile, 2);
  double gain = one->elapsed / two.elapsed;
  print_row(&two, bullet);
  printf("  two threads: the same bits %s, %.2f times as fast", target(two.hash == one->hash),
         gain);
  if (pile->count >= MANY) {
    printf(" (1.8 wanted: %s)", target(gain >= 1.8));
  }
  printf("\n");
}

/* What is wanted of a pile: times over Bullet's while it forms and when it has settled. */
static void judge(const char *kind, int count, const char *const *steppers, int stepper_count,
                  double most, double most_settled) {
  count = is_short ? count / 10 : count;
  crowd_pile pile = make_pile(kind, count);
  printf("%d %s, ms a step of %g ms\n", count, kind, 1e3 * STEP);
  print_head();
  row bullet = run_peer(&crowd_bullet, &pile);
  print_row(&bullet, &bullet);
  row ode = run_peer(&crowd_ode, &pile);
  print_row(&ode, &bullet);
  for (int i = 0; i < stepper_count; i++) {
    row own = run_footfall(steppers[i], &pile, 1);
    double forming = own.forming / bullet.forming, settled = own.after / bullet.after;
    print_row(&own, &bullet);
    bool deep = own.depth > 1.1 * bullet.depth;
    printf("  %s: %.2f of Bullet's time (at most %.2f wanted%s: %s), settled %.2f (%.2f: %s)\n",
           steppers[i], forming, most, deep ? ", and less depth" : "",
           target(forming <= most && !deep), settled, most_settled,
           target(settled <= most_settled));
    if (i == 0) {
      judge_threads(steppers[i], &pile, &own, &bullet);
    }
  }
  drop_pile(&pile);
}

/* Humanoids side by side, dropped by a millimetre onto their feet and held by their servos. */
static ff_model *make_humanoids(int count) {
  enum { LINE = 128, HEAD = 512 };
  const char *name = FF_SCENES "/humanoids.yaml";
  size_t room = HEAD + (size_t)count * LINE, at;
  char *text = malloc(room);
  ff_scene *scene;
  ff_model *model;
  at = (size_t)snprintf(text, room,
                        "footfall: 1\n"
                        "stepper: {kind: symplectic-euler, step: 1e-3}\n"
                        "bodies:\n"
                        "  floor: {fixed: true, shape: {half-space: {}}}\n"
                        "contacts:\n"
                        "  - pair: [\"*\", floor]\n"
                        "    normal: {law: hunt-crossley, k: 2e4, n: 1, alpha: 0.5}\n"
                        "    friction: {law: coulomb, mu_static: 0.8, mu_kinetic: 0.7}\n"
                        "robots:\n");
  for (int i = 0; i < count; i++) {
    at += (size_t)snprintf(text + at, room - at,
                           "  h%d: {urdf: robots/humanoid.urdf, position: [%d, %d, 0.231], "
                           "servo: {stiffness: 30, damping: 0.5}}\n",
                           i, i % 10, i / 10);
  }
  need(ff_scene_parse(&scene, text, at, name, NULL, 0, NULL));
  need(ff_model_build(&model, scene, NULL));
  ff_scene_destroy(&scene);
  free(text);
  return model;
}

static void judge_humanoids(void) {
  int count = is_short ? 4 : 100;
  uint64_t hash = 0;
  double elapsed = 0;
  printf("%d humanoids, ms a step of 1 ms\n", count);
  print_head();
  for (int threads = 1; threads <= 2; threads++) {
    double before = bytes_in_use(), start = thread_time();
    ff_model *model = make_humanoids(count);
    double create = thread_time() - start;
    row own = run_model(threads > 1 ? "  2 threads" : "symplectic-euler", model, count,
                        ff_model_body_count(model), threads, before, create);
    print_row(&own, NULL);
    if (threads == 1) {
      hash = own.hash;
      elapsed = own.elapsed;
      printf("  %.1f us a humanoid and step\n", 1e6 * own.forming / count);
    } else {
      printf("  two threads: the same bits %s, %.2f times as fast\n", target(own.hash == hash),
             elapsed / own.elapsed);
    }
  }
}

/* Creation, memory and free flight of many spheres. */
static void judge_growth(int most) {
  double first = 0;
  for (int count = most / 100; count <= most; count *= 10) {
    crowd_pile pile = make_pile("spheres", count);
    for (int i = 0; i < count; i++) {
      ((crowd_body *)(uintptr_t)pile.bodies)[i].position[2] += 50;
    }
    ff_sim *sim;
    double before = bytes_in_use(), start = thread_time();
    ff_model *model = make_model(&pile, "symplectic-euler");
    need(ff_sim_create(&sim, model));
    double create = thread_time() - start, megabytes = 1e-6 * (bytes_in_use() - before);
    start = thread_time();
    enum { FLIGHT = 50 };
    for (int i = 0; i < FLIGHT; i++) {
      need(ff_sim_step(sim));
    }
    double body = (thread_time() - start) / FLIGHT / count;
    first = count == most / 100 ? body : first;
    printf("%6d spheres in flight: created in %.3f s, %.1f MB, %.0f ns a body and step", count,
           create, megabytes, 1e9 * body);
    if (count == 100000) {
      double power = 1 + log(body / first) / log(100);
      printf(" (wanted: 1 s %s, 150 MB %s, 60 ns %s), growth N^%.2f (1.05: %s)",
             target(create <= 1), target(megabytes <= 150), target(body <= 60e-9), power,
             target(power <= 1.05));
    }
    printf("\n");
    ff_sim_destroy(&sim);
    ff_model_destroy(&model);
    drop_pile(&pile);
  }
}

static int run_one(char **argv, int argc) {
  crowd_pile pile = make_pile(argv[1], atoi(argv[2]));
  row bullet = {0};
  print_head();
  for (int i = 3; i < argc; i++) {
    bool is_bullet = strcmp(argv[i], "bullet") == 0, is_ode = strcmp(argv[i], "ode") == 0;
    row own = is_bullet ? run_peer(&crowd_bullet, &pile)
              : is_ode  ? run_peer(&crowd_ode, &pile)
                        : run_footfall(argv[i], &pile, 1);
    bullet = is_bullet ? own : bullet;
    print_row(&own, bullet.forming > 0 ? &bullet : NULL);
  }
  drop_pile(&pile);
  return 0;
}

static void judge_all_threads(const char *kind, int count, const char *stepper) {
  static const int threads[] = {1, 2, 3, 8};
  crowd_pile pile = make_pile(kind, count);
  row one = {0};
  print_head();
  for (int i = 0; i < 4; i++) {
    row own = run_footfall(stepper, &pile, threads[i]);
    one = i == 0 ? own : one;
    print_row(&own, NULL);
    printf("  %d threads: the same bits %s, %.2f times as fast\n", threads[i],
           target(own.hash == one.hash), one.elapsed / own.elapsed);
  }
  drop_pile(&pile);
}

int main(int argc, char **argv) {
  static const char *const all[] = {"symplectic-euler", "quasi-rigid", "micro-macro"};
  if (argc >= 2 && strcmp(argv[1], "growth") == 0) {
    judge_growth(argc > 2 ? atoi(argv[2]) : 100000);
    return targets_end();
  }
  if (argc == 2 && strcmp(argv[1], "humanoids") == 0) {
    judge_humanoids();
    return targets_end();
  }
  if (argc == 5 && strcmp(argv[1], "threads") == 0) {
    judge_all_threads(argv[2], atoi(argv[3]), argv[4]);
    return targets_end();
  }
  if (argc > 3) {
    return run_one(argv, argc);
  }
  if (argc == 2 && strcmp(argv[1], "short") == 0) {
    is_short = true;
    forming_steps = 50;
    settled_steps = 20;
  }
  judge("spheres", 100, all, 2, 0.5, 0.3);
  judge("spheres", 1000, all, 3, 0.5, 0.3);
  judge("boxes", 100, all, 1, 0.8, 0.8);
  judge("mixed", 192, all, 1, 0.8, 0.8);
  judge("boxes", 1000, all, 1, 0.8, 0.8);
  judge_humanoids();
  judge_growth(is_short ? 1000 : 100000);
  judge("spheres", 8000, all, 1, 0.5, 0.3);
  forming_steps = is_short ? forming_steps : 300; /* boxes and their peers take long */
  settled_steps = is_short ? settled_steps : 50;
  judge("boxes", 8000, all, 1, 0.8, 0.8);
  return targets_end();
}
