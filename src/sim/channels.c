/* Channels: every number of a run under one name. */
#include "math/vec.h"
#include "sim/sensors.h"

#include <stdio.h>
#include <string.h>

/* ---- what there is -------------------------------------------------------------------- */

typedef struct row {
  const char *name, *unit;
} row;

static const row body_rows[] = {
    {"position.x", "m"},    {"position.y", "m"},    {"position.z", "m"},    {"orientation.w", "1"},
    {"orientation.x", "1"}, {"orientation.y", "1"}, {"orientation.z", "1"}, {"velocity.x", "m/s"},
    {"velocity.y", "m/s"},  {"velocity.z", "m/s"},  {"omega.x", "rad/s"},   {"omega.y", "rad/s"},
    {"omega.z", "rad/s"},
};
static const row contact_rows[] = {
    {"depth", "m"},    {"depth_rate", "m/s"}, {"count", "1"},      {"force.n", "N"},
    {"force.t1", "N"}, {"force.t2", "N"},     {"force.x", "N"},    {"force.y", "N"},
    {"force.z", "N"},  {"moment.x", "N m"},   {"moment.y", "N m"}, {"moment.z", "N m"},
    {"point.x", "m"},  {"point.y", "m"},      {"point.z", "m"},    {"slip", "m/s"},
    {"mode", "1"},
};
static const row drive_rows[] = {{"force", "N"}, {"position", "m"}, {"wanted", "m"}};
static const row constraint_rows[] = {
    {"force.x", "N"},    {"force.y", "N"},    {"force.z", "N"}, {"moment.x", "N m"},
    {"moment.y", "N m"}, {"moment.z", "N m"}, {"error", "m"},   {"angle", "rad"},
};
static const row turning_rows[] = {{"position", "rad"}, {"velocity", "rad/s"}, {"torque", "N m"}};
static const row sliding_rows[] = {{"position", "m"}, {"velocity", "m/s"}, {"torque", "N"}};
static const row load_rows[FF_SENSE_LOAD] = {
    {"force.x", "N"},    {"force.y", "N"},    {"force.z", "N"},    {"moment.x", "N m"},
    {"moment.y", "N m"}, {"moment.z", "N m"}, {"pressure.x", "m"}, {"pressure.y", "m"},
    {"pressure.z", "m"}, {"twist", "N m"},
};
static const row robot_rows[FF_SENSE_ROBOT] = {
    {"com.x", "m"},
    {"com.y", "m"},
    {"com.z", "m"},
    {"velocity.x", "m/s"},
    {"velocity.y", "m/s"},
    {"velocity.z", "m/s"},
    {"angular.x", "kg m^2/s"},
    {"angular.y", "kg m^2/s"},
    {"angular.z", "kg m^2/s"},
    {"pressure.x", "m"},
    {"pressure.y", "m"},
    {"pressure.z", "m"},
    {"zmp.x", "m"},
    {"zmp.y", "m"},
    {"zmp.z", "m"},
};
static const row energy_rows[] = {
    {"kinetic", "J"},      {"gravity", "J"},      {"spring.normal", "J"}, {"spring.tangent", "J"},
    {"spring.joint", "J"}, {"lost.normal", "J"},  {"lost.tangent", "J"},  {"lost.slip", "J"},
    {"lost.viscous", "J"}, {"lost.rolling", "J"}, {"lost.spin", "J"},     {"lost.impact", "J"},
    {"lost.joint", "J"},   {"lost.depth", "J"},   {"lost.step", "J"},     {"work", "J"},
    {"residual", "J"},
};
static const row momentum_rows[] = {
    {"linear.x", "kg m/s"},        {"linear.y", "kg m/s"},           {"linear.z", "kg m/s"},
    {"angular.x", "kg m^2/s"},     {"angular.y", "kg m^2/s"},        {"angular.z", "kg m^2/s"},
    {"residual.linear", "kg m/s"}, {"residual.angular", "kg m^2/s"},
};
static const row audit_rows[] = {
    {"complementarity", "N"}, {"cone", "N"}, {"dissipation", "W"}, {"penetration", "m"}};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Contacts get channels of their own while there are few enough to look at. */
enum { CONTACT_LIMIT = 4096 };

static int contact_count(const ff_model *model) {
  return model->pair_count <= CONTACT_LIMIT ? model->pair_count : 0;
}

/* Families of channels, in the order of their numbers. */
typedef enum family {
  BODY,
  CONTACT,
  DRIVE,
  CONSTRAINT,
  JOINT,
  LOAD,
  ROBOT,
  ENERGY,
  MOMENTUM,
  AUDIT,
  FAMILIES
} family;

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

static int member_count(const ff_model *model, family f) {
  switch (f) {
    case BODY: return model->body_count;
    case CONTACT: return contact_count(model);
    case DRIVE: return model->drive_count;
    case CONSTRAINT: return model->constraint_count;
    case JOINT: return joint_count(model);
    case LOAD: return model->loaded_count;
    case ROBOT: return model->robot_count;
    case AUDIT: return ff_model_solves(model);
    default: return 1;
  }
}

static const row *rows_of(family f, int *count) {
  static const struct {
    const row *rows;
    int count;
  } all[FAMILIES] = {
      {body_rows, COUNT(body_rows)},         {contact_rows, COUNT(contact_rows)},
      {drive_rows, COUNT(drive_rows)},       {constraint_rows, COUNT(constraint_rows)},
      {turning_rows, COUNT(turning_rows)},   {load_rows, COUNT(load_rows)},
      {robot_rows, COUNT(robot_rows)},       {energy_rows, COUNT(energy_rows)},
      {momentum_rows, COUNT(momentum_rows)}, {audit_rows, COUNT(audit_rows)}};
  *count = all[f].count;
  return all[f].rows;
}

/* A channel's number taken apart. */
typedef struct place {
  family family;
  int member, row;
} place;

static place locate(const ff_model *model, int index) {
  for (int f = 0; model && index >= 0 && f < FAMILIES; f++) {
    int count;
    rows_of((family)f, &count);
    int all = count * member_count(model, (family)f);
    if (index < all) {
      return (place){(family)f, index / count, index % count};
    }
    index -= all;
  }
  return (place){FAMILIES, 0, 0};
}

int ff_model_channel_count(const ff_model *model) {
  int total = 0;
  for (int f = 0; model && f < FAMILIES; f++) {
    int count;
    rows_of((family)f, &count);
    total += count * member_count(model, (family)f);
  }
  return total;
}

ff_channel ff_model_channel(const ff_model *model, int index) {
  ff_channel out = {.unit = "1"};
  place at = locate(model, index);
  if (at.family == FAMILIES) {
    return out;
  }
  int count;
  const row *r = &rows_of(at.family, &count)[at.row];
  out.unit = r->unit;
  const ff_model_pair *pair = at.family == CONTACT ? &model->pairs[at.member] : NULL;
  switch (at.family) {
    case BODY:
      snprintf(out.name, sizeof out.name, "body.%s.%s", model->bodies[at.member].name, r->name);
      break;
    case CONTACT:
      snprintf(out.name, sizeof out.name, "contact.%s:%s.%s", model->bodies[pair->a].name,
               model->bodies[pair->b].name, r->name);
      break;
    case DRIVE:
      snprintf(out.name, sizeof out.name, "drive.%s.%s", model->drives[at.member].name, r->name);
      break;
    case CONSTRAINT:
      snprintf(out.name, sizeof out.name, "constraint.%s.%s", model->constraints[at.member].name,
               r->name);
      break;
    case JOINT: {
      int robot;
      const ff_model_joint *joint = joint_at(model, at.member, &robot);
      out.unit = joint->slides ? sliding_rows[at.row].unit : r->unit;
      snprintf(out.name, sizeof out.name, "joint.%.70s-%.70s.%s", model->robots[robot].name,
               joint->name, r->name);
      break;
    }
    case LOAD:
      snprintf(out.name, sizeof out.name, "load.%s.%s",
               model->bodies[model->loaded_bodies[at.member]].name, r->name);
      break;
    case ROBOT:
      snprintf(out.name, sizeof out.name, "robot.%s.%s", model->robots[at.member].name, r->name);
      break;
    case ENERGY: snprintf(out.name, sizeof out.name, "energy.%s", r->name); break;
    case AUDIT: snprintf(out.name, sizeof out.name, "audit.%s", r->name); break;
    default: snprintf(out.name, sizeof out.name, "momentum.%s", r->name); break;
  }
  return out;
}

bool ff_channel_matches(const char *name, const char *glob) {
  /* '*' stands for any text: on a mismatch, let the last one swallow one more letter. */
  const char *star = NULL, *resume = NULL;
  while (name && glob && *name) {
    if (*glob == '*') {
      star = glob++;
      resume = name;
    } else if (*glob == *name) {
      glob++;
      name++;
    } else if (star) {
      glob = star + 1;
      name = ++resume;
    } else {
      return false;
    }
  }
  while (glob && *glob == '*') {
    glob++;
  }
  return name && glob && *glob == 0;
}

/* ---- values ----------------------------------------------------------------------------- */

static void read_body(const ff_sim *sim, int body, double *out) {
  ff_body_state state = ff_sim_body(sim, (ff_body){body + 1});
  v3_store(out, state.position);
  out[3] = state.orientation.w;
  v3_store(out + 4, v3(state.orientation.x, state.orientation.y, state.orientation.z));
  v3_store(out + 7, state.velocity);
  v3_store(out + 10, state.omega);
}

/* All points of a pair of bodies as one contact. */
typedef struct whole {
  int count;
  double depth, rate, slip;
  ff_mode mode;
  double n, t1, t2, weight;
  ff_vec3 force, moment, first; /* moment about the world origin; sum of weight * point */
} whole;

/* sign: 1, or -1 if what it is told for is b. */
static void add_point(whole *sum, const ff_point *point, double sign) {
  double weight = fmax(fabs(point->force_n), 1e-300); /* a point without force has a place too */
  double slip = hypot(point->patch.slip[0], point->patch.slip[1]);
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

static void add_meet(whole *sum, const ff_state *state, const ff_meet *meet, double sign) {
  for (int n = meet->first_near; n < meet->first_near + meet->near_count; n++) {
    const ff_near *near = &state->nears[n];
    for (int i = near->first_point; i < near->first_point + near->point_count; i++) {
      if (state->points[i].touching) {
        add_point(sum, &state->points[i], sign);
      }
    }
  }
}

static void read_contact(const ff_sim *sim, int index, double *out) {
  const ff_model_pair *pair = &sim->model->pairs[index];
  whole sum = {0};
  for (int m = 0; m < sim->state.meet_count; m++) {
    const ff_meet *meet = &sim->state.meets[m];
    if (meet->a == pair->a && meet->b == pair->b) {
      add_meet(&sum, &sim->state, meet, 1);
    } else if (meet->a == pair->b && meet->b == pair->a) {
      add_meet(&sum, &sim->state, meet, -1);
    }
  }
  ff_vec3 point = sum.count ? v3_scale(1 / sum.weight, sum.first) : v3(0, 0, 0);
  out[0] = sum.depth;
  out[1] = sum.rate;
  out[2] = sum.count;
  out[3] = sum.n;
  out[4] = sum.t1;
  out[5] = sum.t2;
  v3_store(out + 6, sum.force);
  v3_store(out + 9, v3_sub(sum.moment, v3_cross(point, sum.force)));
  v3_store(out + 12, point);
  out[15] = sum.slip;
  out[16] = sum.mode;
}

static void read_drive(const ff_sim *sim, int index, double *out) {
  const ff_model_drive *drive = &sim->model->drives[index];
  ff_body_state body = ff_sim_body(sim, (ff_body){drive->body + 1});
  out[0] = sim->state.drive_force[index];
  out[1] = v3_dot(drive->axis, v3_sub(body.position, drive->reference));
  double rate;
  out[2] = ff_drive_wanted(drive, sim->state.drive_phase[index], sim->state.drive_start[index],
                           sim->state.t, &rate);
}

static void read_constraint(const ff_sim *sim, int index, double *out) {
  ff_constraint_state now = ff_sim_constraint(sim, index);
  v3_store(out, now.force);
  v3_store(out + 3, now.moment);
  out[6] = now.error;
  out[7] = now.angle;
}

static void read_joint(const ff_sim *sim, int index, double *out) {
  int i;
  const ff_model_joint *joint = joint_at(sim->model, index, &i);
  const ff_model_robot *robot = &sim->model->robots[i];
  out[0] = ff_axis_position(joint, sim->state.y + robot->q_at);
  out[1] = (joint->follows ? joint->factor : 1) * sim->state.y[robot->v_at + joint->v_at];
  out[2] = joint->follows ? 0 : sim->state.robots[i].servo[joint->v_at];
}

static void read_energy(const ff_sim *sim, double *out) {
  ff_energy energy = ff_sim_energy(sim);
  out[0] = energy.kinetic;
  out[1] = energy.gravity;
  out[2] = energy.spring_normal;
  out[3] = energy.spring_tangent;
  out[4] = energy.spring_joint;
  memcpy(out + 5, energy.lost, sizeof energy.lost);
  out[5 + FF_LOSS_COUNT] = energy.work;
  out[6 + FF_LOSS_COUNT] = energy.residual;
}

static void read_momentum(const ff_sim *sim, double *out) {
  ff_momentum momentum = ff_sim_momentum(sim);
  v3_store(out, momentum.linear);
  v3_store(out + 3, momentum.angular);
  out[6] = v3_norm(momentum.linear_residual);
  out[7] = v3_norm(momentum.angular_residual);
}

static void read_audit(const ff_sim *sim, double *out) {
  ff_contact_residual residual = ff_sim_contact_residual(sim);
  out[0] = residual.complementarity;
  out[1] = residual.cone;
  out[2] = residual.dissipation;
  out[3] = residual.penetration;
}

static void read_member(const ff_sim *sim, place at, double *out) {
  switch (at.family) {
    case BODY: read_body(sim, at.member, out); break;
    case CONTACT: read_contact(sim, at.member, out); break;
    case DRIVE: read_drive(sim, at.member, out); break;
    case CONSTRAINT: read_constraint(sim, at.member, out); break;
    case JOINT: read_joint(sim, at.member, out); break;
    case LOAD: ff_sense_load(sim, sim->model->loaded_bodies[at.member], out); break;
    case ROBOT: ff_sense_robot(sim, at.member, out); break;
    case ENERGY: read_energy(sim, out); break;
    case MOMENTUM: read_momentum(sim, out); break;
    case AUDIT: read_audit(sim, out); break;
    case FAMILIES: break;
  }
}

void ff_sim_read(const ff_sim *sim, const int *channels, int count, double *out) {
  /* Channels of one member stand together: read each member once. */
  double values[32] = {0};
  place now = {FAMILIES, -1, 0};
  for (int i = 0; i < count; i++) {
    place at = locate(sim ? sim->model : NULL, channels[i]);
    if (at.family != now.family || at.member != now.member) {
      read_member(sim, at, values);
      now = at;
    }
    out[i] = at.family == FAMILIES ? NAN : values[at.row];
  }
}
