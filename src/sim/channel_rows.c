/* The channels of a run, one row each: name, unit, frame, meaning and where its number is read. */
#include "math/vec.h"
#include "sim/channels.h"

#include <stdio.h>

#define AT(place)       offsetof(ff_channel_sample, place)
#define SCALAR          "", 1
#define XYZ             "x y z", 3
#define WXYZ            "w x y z", 4
#define NORMAL_TANGENTS "n t1 t2", 3
#define LINEAR          FF_BLEND_LINEAR, 0
#define NEAREST         FF_BLEND_NEAREST, 0
#define OF_STEP         FF_BLEND_OF_STEP, 0
#define CUBIC(rate)     FF_BLEND_CUBIC, AT(rate)
#define ROTATION(omega) FF_BLEND_ROTATION, AT(omega)
#define ROWS(array)     .rows = array, .row_count = sizeof(array) / sizeof *(array)

/* ---- bodies --------------------------------------------------------------------------------- */

static const ff_channel_row body_rows[] = {
    {"position", XYZ, "m", NULL, "world", "origin of the body frame", AT(body.now.position),
     CUBIC(body.now.velocity)},
    {"orientation", WXYZ, "1", NULL, "world", "unit quaternion, body frame to world",
     AT(body.now.orientation), ROTATION(body.now.omega)},
    {"velocity", XYZ, "m/s", NULL, "world", "of the origin", AT(body.now.velocity), LINEAR},
    {"omega", XYZ, "rad/s", NULL, "world", "angular velocity", AT(body.now.omega), LINEAR},
    {"acceleration", XYZ, "m/s^2", NULL, "world",
     "of the origin, mean over the last step: change of `velocity` over its length; NAN before the "
     "first step",
     AT(body.acceleration), OF_STEP},
    {"alpha", XYZ, "rad/s^2", NULL, "world",
     "angular acceleration, mean over the last step: change of `omega` over its length; NAN before "
     "the first step",
     AT(body.alpha), OF_STEP},
};

static int body_count(const ff_model *model) {
  return model->body_count;
}

static void name_body(const ff_model *model, int member, char name[FF_MEMBER_NAME]) {
  snprintf(name, FF_MEMBER_NAME, "%s", model->bodies[member].name);
}

static void sample_body(const ff_sim *sim, int body, ff_channel_sample *out) {
  out->body.now = ff_sim_body(sim, (ff_body){.id = body + 1});
  if (sim->last_step > 0) {
    ff_body_state before = ff_body_state_of(&sim->model->bodies[body], &sim->before[body]);
    double rate = 1 / sim->last_step;
    out->body.acceleration = v3_scale(rate, v3_sub(out->body.now.velocity, before.velocity));
    out->body.alpha = v3_scale(rate, v3_sub(out->body.now.omega, before.omega));
  } else {
    out->body.acceleration = out->body.alpha = v3(NAN, NAN, NAN);
  }
}

/* ---- contacts ------------------------------------------------------------------------------- */

static const ff_channel_row contact_rows[] = {
    {"depth", SCALAR, "m", NULL, "", "of the deepest point; 0 while apart", AT(contact.depth),
     NEAREST},
    {"depth_rate", SCALAR, "m/s", NULL, "", "of the deepest point; > 0: approaching",
     AT(contact.depth_rate), NEAREST},
    {"count", SCALAR, "1", NULL, "", "contact points", AT(contact.count), NEAREST},
    {"force", NORMAL_TANGENTS, "N", NULL, "contact",
     "sums over the points of the force along normal and tangents, on the first body; n > 0: "
     "pushes the bodies apart",
     AT(contact.force_n), NEAREST},
    {"force", XYZ, "N", NULL, "world", "on the first body", AT(contact.force), NEAREST},
    {"moment", XYZ, "N m", NULL, "world", "on the first body, about `point`", AT(contact.moment),
     NEAREST},
    {"point", XYZ, "m", NULL, "world", "mean of the points, weighted by normal force",
     AT(contact.point), NEAREST},
    {"slip", SCALAR, "m/s", NULL, "", "sliding speed of the deepest point", AT(contact.slip),
     NEAREST},
    {"mode", SCALAR, "1", NULL, "", "0: no contact or no friction, 1: a point sticks, 2: all slip",
     AT(contact.mode), NEAREST},
};

static int contact_count(const ff_model *model) {
  bool all = !model->pairs_of_classes && model->pair_count <= FF_CONTACT_CHANNEL_PAIRS;
  return all ? model->pair_count : 0;
}

static void name_contact(const ff_model *model, int member, char name[FF_MEMBER_NAME]) {
  const ff_model_pair *pair = &model->pairs[member];
  snprintf(name, FF_MEMBER_NAME, "%s:%s", model->bodies[pair->a].name, model->bodies[pair->b].name);
}

/* All points of a pair of bodies as one contact. */
typedef struct whole {
  int count;
  double depth, rate, slip;
  ff_mode mode;
  double n, t1, t2, weight;
  ff_vec3 force, moment, first; /* moment about the world origin; sum of weight * point */
} whole;

/* sign: 1 if the sum is over body a of the pair, -1 if over b. */
static void sum_point(whole *sum, const ff_point *point, double sign) {
  double weight = fmax(fabs(point->force_n), 1e-300); /* a point without force has a place too */
  double slip = ff_hypot(point->patch.slip[0], point->patch.slip[1]);
  sum->count++;
  if (sum->count == 1 || point->patch.depth > sum->depth) {
    sum->depth = point->patch.depth;
    sum->rate = point->patch.depth_rate;
    sum->slip = slip;
  }
  /* It sticks if any of its points does. */
  sum->mode = sum->mode == FF_STICK ? FF_STICK : point->mode;
  sum->n += point->force_n;
  sum->t1 += point->force_t[0];
  sum->t2 += point->force_t[1];
  sum->weight += weight;
  sum->first = v3_axpy(sum->first, weight, point->point);
  sum->force = v3_axpy(sum->force, sign, point->force);
  sum->moment =
      v3_axpy(sum->moment, sign, v3_add(v3_cross(point->point, point->force), point->moment));
}

static void sum_pair(whole *sum, const ff_state *state, const ff_meet *meet, double sign) {
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      if (state->points[i].touching) {
        sum_point(sum, &state->points[i], sign);
      }
    }
  }
}

static void sample_contact(const ff_sim *sim, int index, ff_channel_sample *out) {
  const ff_model_pair *pair = &sim->model->pairs[index];
  whole sum = {0};
  for (int m = 0; m < sim->state.meet_count; m++) {
    const ff_meet *meet = &sim->state.meets[m];
    if (meet->a == pair->a && meet->b == pair->b) {
      sum_pair(&sum, &sim->state, meet, 1);
    } else if (meet->a == pair->b && meet->b == pair->a) {
      sum_pair(&sum, &sim->state, meet, -1);
    }
  }
  ff_vec3 point = sum.count ? v3_scale(1 / sum.weight, sum.first) : v3(0, 0, 0);
  out->contact.depth = sum.depth;
  out->contact.depth_rate = sum.rate;
  out->contact.count = sum.count;
  out->contact.force_n = sum.n;
  out->contact.force_t1 = sum.t1;
  out->contact.force_t2 = sum.t2;
  out->contact.force = sum.force;
  out->contact.moment = v3_sub(sum.moment, v3_cross(point, sum.force));
  out->contact.point = point;
  out->contact.slip = sum.slip;
  out->contact.mode = sum.mode;
}

/* ---- drives and constraints ----------------------------------------------------------------- */

static const ff_channel_row drive_rows[] = {
    {"force", SCALAR, "N", NULL, "drive axis", "on the body", AT(drive.force), LINEAR},
    {"position", SCALAR, "m", NULL, "drive axis", "of the body's origin from the reference",
     AT(drive.position), LINEAR},
    {"wanted", SCALAR, "m", NULL, "drive axis", "position wanted; NAN unless a position is driven",
     AT(drive.wanted), LINEAR},
};

static int drive_count(const ff_model *model) {
  return model->drive_count;
}

static void name_drive(const ff_model *model, int member, char name[FF_MEMBER_NAME]) {
  snprintf(name, FF_MEMBER_NAME, "%s", model->drives[member].name);
}

static void sample_drive(const ff_sim *sim, int index, ff_channel_sample *out) {
  const ff_model_drive *drive = &sim->model->drives[index];
  ff_body_state body = ff_sim_body(sim, (ff_body){.id = drive->body + 1});
  double rate;
  out->drive.force = sim->state.drive_force[index];
  out->drive.position = v3_dot(drive->axis, v3_sub(body.position, drive->reference));
  out->drive.wanted = ff_drive_desired(drive, sim->state.drive_phase[index],
                                       sim->state.drive_start[index], sim->state.t, &rate);
}

static const ff_channel_row constraint_rows[] = {
    {"force", XYZ, "N", NULL, "world", "on the first body", AT(constraint.force), LINEAR},
    {"moment", XYZ, "N m", NULL, "world", "on the first body, about its anchor",
     AT(constraint.moment), LINEAR},
    {"error", SCALAR, "m", NULL, "", "distance that should be 0", AT(constraint.error), LINEAR},
    {"angle", SCALAR, "rad", NULL, "", "angle that should be 0", AT(constraint.angle), LINEAR},
};

static int constraint_count(const ff_model *model) {
  return model->constraint_count;
}

static void name_constraint(const ff_model *model, int member, char name[FF_MEMBER_NAME]) {
  snprintf(name, FF_MEMBER_NAME, "%s", model->constraints[member].name);
}

static void sample_constraint(const ff_sim *sim, int index, ff_channel_sample *out) {
  out->constraint = ff_sim_constraint(sim, (ff_constraint_id){.id = index + 1});
}

/* ---- robots --------------------------------------------------------------------------------- */

static const ff_channel_row joint_rows[] = {
    {"position", SCALAR, "rad", "m", "joint axis", "of the joint", AT(joint.position),
     CUBIC(joint.velocity)},
    {"velocity", SCALAR, "rad/s", "m/s", "joint axis", "of the joint", AT(joint.velocity), LINEAR},
    {"torque", SCALAR, "N m", "N", "joint axis",
     "of what drives it; 0 of a joint that mimics another", AT(joint.torque), LINEAR},
};

/* The index-th joint of all robots, and whose it is. */
static const ff_model_joint *joint_at(const ff_model *model, int index, int *robot) {
  for (*robot = 0; index >= model->robots[*robot].joint_count; ++*robot) {
    index -= model->robots[*robot].joint_count;
  }
  return &model->robots[*robot].joints[index];
}

static int joint_count(const ff_model *model) {
  int count = 0;
  for (int i = 0; i < model->robot_count; i++) {
    count += model->robots[i].joint_count;
  }
  return count;
}

static void name_joint(const ff_model *model, int member, char name[FF_MEMBER_NAME]) {
  int robot;
  const ff_model_joint *joint = joint_at(model, member, &robot);
  snprintf(name, FF_MEMBER_NAME, "%.70s-%.70s", model->robots[robot].name, joint->name);
}

static bool joint_slides(const ff_model *model, int member) {
  int robot;
  return joint_at(model, member, &robot)->slides;
}

static void sample_joint(const ff_sim *sim, int index, ff_channel_sample *out) {
  int i;
  const ff_model_joint *joint = joint_at(sim->model, index, &i);
  const ff_model_robot *robot = &sim->model->robots[i];
  out->joint.position = ff_axis_position(joint, sim->state.y + robot->q_at);
  out->joint.velocity =
      (joint->follows ? joint->factor : 1) * sim->state.y[robot->v_at + joint->v_at];
  out->joint.torque = joint->follows ? 0 : sim->state.robots[i].servo[joint->v_at];
}

static const ff_channel_row load_rows[] = {
    {"force", XYZ, "N", NULL, "world", "of all contacts on the body", AT(load.force), NEAREST},
    {"moment", XYZ, "N m", NULL, "world", "of all contacts, about the body's origin",
     AT(load.moment), NEAREST},
    {"cop", XYZ, "m", NULL, "world",
     "centre of pressure in the xy-plane of the body frame; NAN while nothing presses",
     AT(load.cop), NEAREST},
    {"free_moment", SCALAR, "N m", NULL, "",
     "free moment at the centre of pressure, about the body's z", AT(load.free_moment), NEAREST},
};

static int load_count(const ff_model *model) {
  return model->loaded_count;
}

static void name_load(const ff_model *model, int member, char name[FF_MEMBER_NAME]) {
  name_body(model, model->loaded_bodies[member], name);
}

static void sample_load(const ff_sim *sim, int index, ff_channel_sample *out) {
  out->load = ff_sense_load(sim, sim->model->loaded_bodies[index]);
}

static const ff_channel_row robot_rows[] = {
    {"com", XYZ, "m", NULL, "world", "centre of mass", AT(robot.com), CUBIC(robot.velocity)},
    {"velocity", XYZ, "m/s", NULL, "world", "of the centre of mass", AT(robot.velocity), LINEAR},
    {"angular", XYZ, "kg m^2/s", NULL, "world", "angular momentum about the centre of mass",
     AT(robot.angular), LINEAR},
    {"cop", XYZ, "m", NULL, "world",
     "centre of pressure in the plane through the origin normal to gravity; NAN while nothing "
     "presses",
     AT(robot.cop), NEAREST},
    {"zmp", XYZ, "m", NULL, "world",
     "zero-moment point in the same plane; NAN while it is not known", AT(robot.zmp), NEAREST},
};

static int robot_count(const ff_model *model) {
  return model->robot_count;
}

static void name_robot(const ff_model *model, int member, char name[FF_MEMBER_NAME]) {
  snprintf(name, FF_MEMBER_NAME, "%s", model->robots[member].name);
}

static void sample_robot(const ff_sim *sim, int index, ff_channel_sample *out) {
  out->robot = ff_sense_robot(sim, index);
}

/* ---- ledger and audit ----------------------------------------------------------------------- */

static const ff_channel_row energy_rows[] = {
    {"kinetic", SCALAR, "J", NULL, "", "of all bodies and robots", AT(energy.kinetic), LINEAR},
    {"gravity", SCALAR, "J", NULL, "", "potential energy", AT(energy.gravity), LINEAR},
    {"spring.normal", SCALAR, "J", NULL, "", "stored in contacts along normals",
     AT(energy.spring_normal), LINEAR},
    {"spring.tangent", SCALAR, "J", NULL, "", "stored in contacts by friction",
     AT(energy.spring_tangent), LINEAR},
    {"spring.joint", SCALAR, "J", NULL, "", "stored in springs of joints", AT(energy.spring_joint),
     LINEAR},
#define LOST(name, index, meaning)                                                                 \
  { "lost." name, SCALAR, "J", NULL, "", "lost so far " meaning, AT(energy.lost[index]), LINEAR }
    LOST("normal", FF_LOST_NORMAL, "to damping along normals"),
    LOST("tangent", FF_LOST_TANGENT,
         "to damping of bristles, and what they held when their contact ended"),
    LOST("slip", FF_LOST_SLIP, "to sliding friction"),
    LOST("viscous", FF_LOST_VISCOUS, "to viscous friction"),
    LOST("rolling", FF_LOST_ROLLING, "to rolling resistance"),
    LOST("spin", FF_LOST_SPIN, "to friction of spinning"),
    LOST("impact", FF_LOST_IMPACT, "in impacts of rigid parts"),
    LOST("joint", FF_LOST_JOINT, "to damping and friction of joints"),
    LOST("depth", FF_LOST_DEPTH, "by springs that weaken with depth or curvature; < 0: gained"),
    LOST("step", FF_LOST_STEP, "by steps that take the forces of their end; < 0: gained"),
#undef LOST
    {"work", SCALAR, "J", NULL, "", "done so far by forces, drives and prescribed bodies",
     AT(energy.work), LINEAR},
    {"residual", SCALAR, "J", NULL, "", "error of the integration: > 0 energy created, < 0 lost",
     AT(energy.residual), LINEAR},
};

_Static_assert(sizeof energy_rows / sizeof *energy_rows == 7 + FF_LOSS_COUNT,
               "every kind of loss has its row");

static int one_member(const ff_model *model) {
  (void)model;
  return 1;
}

static void sample_energy(const ff_sim *sim, int index, ff_channel_sample *out) {
  (void)index;
  out->energy = ff_sim_energy(sim);
}

static const ff_channel_row momentum_rows[] = {
    {"linear", XYZ, "kg m/s", NULL, "world", "of all bodies and robots", AT(momentum.now.linear),
     LINEAR},
    {"angular", XYZ, "kg m^2/s", NULL, "world", "of all, about the world's origin",
     AT(momentum.now.angular), LINEAR},
    {"residual.linear", SCALAR, "kg m/s", NULL, "", "magnitude of the error in the balance",
     AT(momentum.linear_residual), LINEAR},
    {"residual.angular", SCALAR, "kg m^2/s", NULL, "", "magnitude of the error in the balance",
     AT(momentum.angular_residual), LINEAR},
};

static void sample_momentum(const ff_sim *sim, int index, ff_channel_sample *out) {
  (void)index;
  out->momentum.now = ff_sim_momentum(sim);
  out->momentum.linear_residual = v3_norm(out->momentum.now.linear_residual);
  out->momentum.angular_residual = v3_norm(out->momentum.now.angular_residual);
}

static const ff_channel_row audit_rows[] = {
    {"complementarity", SCALAR, "N", NULL, "", "largest force of an open contact, or pull",
     AT(audit.complementarity), NEAREST},
    {"cone", SCALAR, "N", NULL, "", "largest friction beyond its cone", AT(audit.cone), NEAREST},
    {"dissipation", SCALAR, "W", NULL, "",
     "largest power that friction could dissipate and does not", AT(audit.dissipation), NEAREST},
    {"penetration", SCALAR, "m", NULL, "", "largest depth beyond the layer", AT(audit.penetration),
     NEAREST},
};

/* Only where contacts are solved for. */
static int audit_count(const ff_model *model) {
  return ff_model_solves(model);
}

static void sample_audit(const ff_sim *sim, int index, ff_channel_sample *out) {
  (void)index;
  out->audit = ff_sim_contact_residual(sim);
}

static const ff_channel_row solver_rows[] = {
    {"residual", SCALAR, "1", NULL, "",
     "largest difference of a force from its law in large islands, over the largest force",
     AT(solver.residual), NEAREST},
    {"asleep", SCALAR, "1", NULL, "", "bodies at rest that are not stepped", AT(solver.asleep),
     NEAREST},
};

/* Only where large islands are solved by sweeps, or bodies may sleep. */
static int solver_count(const ff_model *model) {
  return ff_model_solves(model) || ff_model_is_crowd(model) || ff_model_sleeps(model);
}

static void sample_solver(const ff_sim *sim, int index, ff_channel_sample *out) {
  (void)index;
  out->solver.residual = ff_sim_contact_residual(sim).solver;
  out->solver.asleep = ff_sim_asleep_count(sim);
}

/* ---- the families, in the order of recordings ----------------------------------------------- */

const ff_channel_family ff_channel_families[FF_CHANNEL_FAMILIES] = {
    {"body", "<body>", body_count, name_body, NULL, sample_body, ROWS(body_rows)},
    {"contact", "<a>:<b>", contact_count, name_contact, NULL, sample_contact, ROWS(contact_rows)},
    {"drive", "<drive>", drive_count, name_drive, NULL, sample_drive, ROWS(drive_rows)},
    {"constraint", "<constraint>", constraint_count, name_constraint, NULL, sample_constraint,
     ROWS(constraint_rows)},
    {"joint", "<robot>-<joint>", joint_count, name_joint, joint_slides, sample_joint,
     ROWS(joint_rows)},
    {"load", "<body>", load_count, name_load, NULL, sample_load, ROWS(load_rows)},
    {"robot", "<robot>", robot_count, name_robot, NULL, sample_robot, ROWS(robot_rows)},
    {"energy", "", one_member, NULL, NULL, sample_energy, ROWS(energy_rows)},
    {"momentum", "", one_member, NULL, NULL, sample_momentum, ROWS(momentum_rows)},
    {"audit", "", audit_count, NULL, NULL, sample_audit, ROWS(audit_rows)},
    {"solver", "", solver_count, NULL, NULL, sample_solver, ROWS(solver_rows)},
};
