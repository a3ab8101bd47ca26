/* Time per step against MuJoCo: the humanoid of 20 joints in free flight and standing on its box
 * feet; how the forward dynamics of a chain grow with its length; and two sims of one model on two
 * threads against one after the other.
 *
 * Both engines run in this process, in turns, on one model: MuJoCo's is written from the links
 * that Footfall read from the URDF file, with the same masses, joints, damping and springs (the
 * servos at zero). MuJoCo has its default solver settings; Footfall steps with
 * `symplectic-euler`, Hunt-Crossley and Coulomb contacts, or with `micro-macro` on a rigid floor
 * under a membrane, and its full energy ledger. The table gives the best of many turns of each; the
 * ratio is what counts.
 * At last the longest of many steps of `micro-macro` against the mean: of several runs over the
 * same steps the shortest time of each counts, so that what else the machine does does not. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "footfall/footfall.h"
#include "mujoco_peer.h"
#include "targets.h"

enum { REPEATS = 40, STEPS = 200, CALLS = 20, MANY_STEPS = 100000, RUNS = 3, MJCF_SIZE = 1 << 16 };

static const double STEP = 1e-3;     /* s */
static const double STIFFNESS = 30;  /* N m/rad, of each joint */
static const double DAMPING = 0.5;   /* N m s/rad */
static const double HEIGHT = 0.2295; /* m, of the hip, standing */
static const double FLIGHT = 10;     /* m */
static const double TARGET = 0.4;    /* of MuJoCo's time */
static const double SOLVED = 0.8;    /* the same, where contacts are solved for */
static const double WORST = 5;       /* longest step over the mean */

static void give_up(const char *what) {
  fprintf(stderr, "bench_robot: %s\n", what);
  exit(1);
}

static void need(ff_status status, const ff_report *report) {
  if (status != FF_OK) {
    char text[2048];
    ff_report_text(report, text, sizeof text);
    give_up(text[0] ? text : ff_status_text(status));
  }
}

/* What the machine does beside only ever adds to a time. */
static double best(const double *values, int count) {
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    least = fmin(least, values[i]);
  }
  return least;
}

/* ---- Footfall --------------------------------------------------------------------------- */

/* What the floor is for a stepper. */
static ff_contact_def ground_of(bool solved) {
  static const char *yields[] = {"k", "n", "alpha"}, *covered[] = {"k", "c", "thickness", "mu"};
  static const char *dry[] = {"mu_static", "mu_kinetic", "v_t"};
  static const double soft[] = {2e4, 1, 0.5}, membrane[] = {5512, 158, 0.0005, 0.4};
  static const double creeps[] = {0.8, 0.8, 1e-3};
  static const double sticks[] = {1, 0.4, 1e-3};
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "humanoid";
  contact.b = "floor";
  contact.normal = solved ? (ff_law_choice){"membrane", covered, membrane, 4}
                          : (ff_law_choice){"hunt-crossley", yields, soft, 3};
  contact.friction = (ff_law_choice){"coulomb", dry, solved ? sticks : creeps, 3};
  return contact;
}

static void add_floor(ff_scene *scene, bool solved) {
  ff_report none = {0};
  ff_body_def floor = ff_body_def_default();
  floor.name = "floor";
  floor.kind = FF_BODY_FIXED;
  ff_shape_def plane = ff_shape_def_default();
  plane.kind = FF_HALF_SPACE;
  ff_body body;
  ff_shape shape;
  need(ff_scene_add_body(&body, scene, &floor), &none);
  need(ff_scene_add_shape(&shape, scene, body, &plane), &none);
  ff_contact_def contact = ground_of(solved);
  need(ff_scene_add_contact(scene, &contact), &none);
}

static ff_model *footfall_model(const ff_robot *robot, double height, bool solved) {
  ff_scene *scene;
  ff_model *model;
  ff_report report = {0};
  int count = ff_robot_link_count(robot), joints = 0;
  ff_robot_link *links = calloc((size_t)count, sizeof *links);
  ff_joint_setting *settings = calloc((size_t)count, sizeof *settings);
  for (int i = 0; i < count; i++) {
    links[i] = ff_robot_link_info(robot, i + 1);
    links[i].def.joint.friction = 0;
    links[i].def.joint.damping = 0;
    if (links[i].def.joint.kind == FF_JOINT_REVOLUTE) {
      settings[joints] = ff_joint_setting_default();
      settings[joints].joint = links[i].joint_name;
      settings[joints].stiffness = STIFFNESS;
      settings[joints++].damping = DAMPING;
    }
  }
  ff_robot_def def = ff_robot_def_of(robot, "humanoid");
  def.links = links;
  def.joints = settings;
  def.joint_count = joints;
  def.base.position.z = height;
  need(ff_scene_create(&scene), &report);
  need(ff_scene_add_robot(scene, &def), &report);
  add_floor(scene, solved);
  ff_run_def run = ff_run_def_default();
  run.stepper.kind = solved ? "micro-macro" : "symplectic-euler";
  run.stepper.lambda = 1;
  run.stepper.step = STEP;
  need(ff_scene_set_run(scene, &run), &report);
  need(ff_model_build(&model, scene, &report), &report);
  ff_scene_destroy(&scene);
  free(links);
  free(settings);
  return model;
}

/* ---- MuJoCo ------------------------------------------------------------------------------- */

/* Writes a link with its shapes, then the links that hang from it. All frames are parallel. */
static int write_link(const ff_robot *robot, int i, char *to, double height) {
  ff_robot_link link = ff_robot_link_info(robot, i);
  const ff_joint_def *joint = &link.def.joint;
  const ff_vec3 *p = &joint->frame.position, *c = &link.def.com, *a = &joint->axis;
  const ff_mat3 *m = &link.def.inertia;
  int n = sprintf(to, "<body pos='%g %g %g'>", p->x, p->y, i == 1 ? height : p->z);
  if (i == 1) {
    n += sprintf(to + n, "<freejoint/>");
  } else if (joint->kind == FF_JOINT_REVOLUTE) {
    n += sprintf(to + n, "<joint type='hinge' axis='%g %g %g' stiffness='%g' damping='%g'/>", a->x,
                 a->y, a->z, STIFFNESS, DAMPING);
  }
  n += sprintf(to + n, "<inertial pos='%g %g %g' mass='%g' diaginertia='%.9g %.9g %.9g'/>", c->x,
               c->y, c->z, link.def.mass, m->m[0][0], m->m[1][1], m->m[2][2]);
  for (int k = 0; k < ff_robot_shape_count(robot); k++) {
    ff_robot_shape s = ff_robot_shape_info(robot, k);
    const ff_vec3 *at = &s.pose.position;
    if (s.link == i) {
      n += sprintf(to + n,
                   "<geom type='%s' size='%g %g %g' pos='%g %g %g' contype='1' "
                   "conaffinity='2' friction='0.8'/>",
                   s.kind == FF_BOX ? "box" : "sphere", s.size.x, s.size.y, s.size.z, at->x, at->y,
                   at->z);
    }
  }
  for (int k = i + 1; k <= ff_robot_link_count(robot); k++) {
    if (ff_robot_link_info(robot, k).def.parent == i) {
      n += write_link(robot, k, to + n, height);
    }
  }
  return n + sprintf(to + n, "</body>");
}

static mjModel *mujoco_model(const ff_robot *robot, double height) {
  static char text[MJCF_SIZE];
  int n = sprintf(text,
                  "<mujoco><compiler angle='radian'/><option timestep='%g'/><worldbody>"
                  "<geom type='plane' size='0 0 1' contype='2' conaffinity='1'/>",
                  STEP);
  n += write_link(robot, 1, text + n, height);
  sprintf(text + n, "</worldbody></mujoco>");
  return mujoco_model_of(text);
}

/* ---- in turns ------------------------------------------------------------------------------ */

static void compare(const char *what, const ff_robot *robot, double height, bool solved) {
  ff_report none = {0};
  ff_model *model = footfall_model(robot, height, solved);
  ff_sim *sim;
  need(ff_sim_create(&sim, model), &none);
  mjModel *other = mujoco_model(robot, height);
  mjData *data = mj_makeData(other);
  double ours[REPEATS], theirs[REPEATS];
  for (int r = 0; r < REPEATS; r++) {
    double start = now();
    for (int i = 0; i < STEPS; i++) {
      need(ff_sim_step(sim), &none);
    }
    ours[r] = (now() - start) / STEPS;
    start = now();
    for (int i = 0; i < STEPS; i++) {
      mj_step(other, data);
    }
    theirs[r] = (now() - start) / STEPS;
    if (height > 1) { /* before either comes down */
      ff_sim_reset(sim);
      mj_resetData(other, data);
    }
  }
  double mine = 1e6 * best(ours, REPEATS), its = 1e6 * best(theirs, REPEATS);
  double most = solved ? SOLVED : TARGET;
  printf("%-28s %9.2f us %9.2f us   ratio %.2f  (at most %.2f wanted: %s)\n", what, mine, its,
         mine / its, most, target(mine <= most * its));
  mj_deleteData(data);
  mj_deleteModel(other);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
}

/* The longest of many steps: a drop of a centimetre, then standing. */
static void find_worst(const ff_robot *robot) {
  ff_report none = {0};
  ff_model *model = footfall_model(robot, HEIGHT + 0.01, true);
  double *times = calloc(MANY_STEPS, sizeof *times), sum = 0, worst = 0;
  ff_sim *sim;
  need(ff_sim_create(&sim, model), &none);
  for (int r = 0; r < RUNS; r++) {
    ff_sim_reset(sim);
    for (int i = 0; i < MANY_STEPS; i++) {
      double start = now();
      need(ff_sim_step(sim), &none);
      double took = now() - start;
      times[i] = r == 0 ? took : fmin(times[i], took);
    }
  }
  for (int i = 0; i < MANY_STEPS; i++) {
    sum += times[i];
    worst = fmax(worst, times[i]);
  }
  double mean = sum / MANY_STEPS;
  printf("\nlongest of %d steps, micro-macro: %.1f us, mean %.1f us, ratio %.2f  (at most %.0f "
         "wanted: %s)\n",
         MANY_STEPS, 1e6 * worst, 1e6 * mean, worst / mean, WORST, target(worst <= WORST * mean));
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  free(times);
}

/* Forward dynamics of a chain of hinges, a call. */
static double chain_time(int count) {
  ff_report report = {0};
  ff_link_def *links = calloc((size_t)count, sizeof *links);
  double *room = calloc(3 * (size_t)count, sizeof *room), times[REPEATS];
  for (int i = 0; i < count; i++) {
    links[i] = ff_link_def_default();
    links[i].parent = i;
    links[i].joint.kind = FF_JOINT_REVOLUTE;
    links[i].joint.axis = (ff_vec3){i % 2, 1 - i % 2, 0};
    links[i].joint.frame.position.z = i > 0 ? -0.1 : 0;
    links[i].mass = 0.1;
    links[i].com.z = -0.05;
    links[i].inertia = (ff_mat3){{{1e-4, 0, 0}, {0, 1e-4, 0}, {0, 0, 1e-5}}};
    room[i] = 0.1;
  }
  ff_tree *tree;
  ff_tree_work *work;
  need(ff_tree_build(&tree, links, count, &report), &report);
  need(ff_tree_work_create(&work, tree), &report);
  for (int r = 0; r < REPEATS; r++) {
    double start = now();
    for (int i = 0; i < CALLS; i++) {
      ff_tree_update(work, room, room + count);
      ff_tree_forward_dynamics(work, room + count, (ff_vec3){0, 0, -9.81}, NULL, room + 2 * count);
    }
    times[r] = (now() - start) / CALLS;
  }
  ff_tree_work_destroy(&work);
  ff_tree_destroy(&tree);
  free(links);
  free(room);
  return 1e6 * best(times, REPEATS);
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREAD_STEPS = 1000, TURNS = 100 };

static void stand(ff_sim *sim) {
  ff_report none = {0};
  for (int i = 0; i < THREAD_STEPS; i++) {
    need(ff_sim_step(sim), &none);
  }
}

/* The other thread: stands whenever both have come to the gate. */
typedef struct second {
  ff_sim *sim;
  pthread_barrier_t gate;
} second;

static void *stand_beside(void *context) {
  second *other = context;
  for (int r = 0; r < TURNS; r++) {
    pthread_barrier_wait(&other->gate);
    stand(other->sim);
    pthread_barrier_wait(&other->gate);
  }
  return NULL;
}

/* How much more two threads do than one; needs two cores that are idle for some of the turns. */
static double thread_gain(const ff_robot *robot) {
  ff_report none = {0};
  ff_model *model = footfall_model(robot, HEIGHT, false);
  ff_sim *sim;
  second other;
  pthread_t thread;
  double one[TURNS], two[TURNS];
  need(ff_sim_create(&sim, model), &none);
  need(ff_sim_create(&other.sim, model), &none);
  if (pthread_barrier_init(&other.gate, NULL, 2) != 0 ||
      pthread_create(&thread, NULL, stand_beside, &other) != 0) {
    give_up("cannot start a thread");
  }
  for (int r = 0; r < TURNS; r++) {
    double start = now();
    stand(sim);
    one[r] = now() - start;
    pthread_barrier_wait(&other.gate);
    start = now();
    stand(sim);
    pthread_barrier_wait(&other.gate);
    two[r] = now() - start;
  }
  pthread_join(thread, NULL);
  pthread_barrier_destroy(&other.gate);
  ff_sim_destroy(&sim);
  ff_sim_destroy(&other.sim);
  ff_model_destroy(&model);
  return 2 * best(one, TURNS) / best(two, TURNS);
}

int main(void) {
  ff_robot *robot;
  ff_report report = {0};
  need(ff_robot_load(&robot, FF_ROBOT, NULL, &report), &report);
  printf("time per step of 1 ms           Footfall       MuJoCo %s\n", mj_versionString());
  compare("humanoid in free flight", robot, FLIGHT, false);
  compare("humanoid standing", robot, HEIGHT, false);
  compare("standing, micro-macro", robot, HEIGHT, true);
  find_worst(robot);
  double per_joint = chain_time(20) / 20;
  printf("\nforward dynamics of a chain, time per joint against that of 20 joints\n");
  for (int count = 50; count <= 200; count += 50) {
    printf("  %3d joints  %.2f\n", count, chain_time(count) / count / per_joint);
  }
  double gain = thread_gain(robot);
  printf("\ntwo threads with two sims       %.2f times one  (at least 1.90 wanted: %s)\n", gain,
         target(gain >= 1.9));
  ff_robot_destroy(&robot);
  return targets_end();
}
