/* States as objects: copies of everything that decides the future of a sim. */
#include "base/checksum.h"
#include "base/memory.h"
#include "base/report.h"
#include "control/controller.h"
#include "footfall/footfall.h"
#include "math/vec.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#undef ff_state /* here: the object of footfall/state.h */

enum { PART_NAME = 32 }; /* bytes of a serialised name */

struct ff_state {
  uint64_t structure; /* of the sims that it fits, see sim_structure */
  double t;           /* s */
  int slots;          /* free bodies and size of y, for names of differences */
  unsigned char *data;
  size_t used, capacity; /* bytes */
  ff_keep_part *parts;
  int part_count, part_capacity;
  char (*names)[PART_NAME]; /* of parts; NULL: static texts */
  bool read;                /* from bytes: its lists are not checked yet */
};

/* ---- structure ------------------------------------------------------------------------------- */

/* Checksum of all that sizes and meaning of the blocks depend on. */
uint64_t ff_sim_structure(const ff_model *model, const ff_dynamic_state *state) {
  const long long numbers[] = {
      model->body_count,
      model->free_count,
      model->shape_count,
      model->robot_count,
      model->robot_size,
      model->drive_count,
      model->constraint_count,
      model->binding_count,
      model->memory_count,
      state->memory_at,
      model->midpoint,
      (long long)sizeof(ff_point),
      (long long)state->own_size,
      (long long)sizeof(ff_meet),
      (long long)sizeof(ff_near),
      (long long)sizeof(ff_auditor),
      (long long)sizeof(ff_controller),
      (long long)sizeof(ff_solver_info),
  };
  uint64_t sum = ff_checksum(0, numbers, sizeof numbers);
  sum = ff_checksum(sum, ff_version(), strlen(ff_version()));
  sum = ff_checksum(sum, model->stepper->name, strlen(model->stepper->name));
  for (int i = 0; i < model->body_count; i++) {
    const ff_model_body *body = &model->bodies[i];
    const int about[] = {(int)body->kind, body->slot, body->shape_count, body->robot, body->link};
    sum = ff_checksum(sum, body->name, strlen(body->name) + 1);
    sum = ff_checksum(sum, about, sizeof about);
  }
  return sum;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

/* The user's clock goes on if there is a function with this period. */
static void sim_keep_ticker(ff_sim *sim, ff_keep *keep) {
  ff_ticker ticker = sim->ticker;
  ff_keep_numbers(keep, "control.period", &ticker.period, 1);
  ff_keep_block(keep, "control.ticks", &ticker.ticks, 1, sizeof ticker.ticks);
  if (keep->mode == FF_KEEP_LOAD && sim->control) {
    if (ticker.period == sim->ticker.period) {
      sim->ticker.ticks = ticker.ticks;
    } else {
      ff_sim_on_control(sim, sim->ticker.period, sim->control, sim->control_context);
    }
  }
}

static void sim_keep(ff_sim *sim, ff_keep *keep) {
  ff_settings_keep(sim, keep);
  ff_state_keep(&sim->state, sim->model, keep);
  if (keep->bad) {
    return;
  }
  ff_keep_numbers(keep, "gravity", &sim->own.run.gravity.x, 3);
  ff_work_keep(&sim->work, keep);
  ff_auditor_keep(&sim->auditor, sim->model, keep);
  ff_keep_block(keep, "body.before", sim->before, sim->model->body_count, sizeof *sim->before);
  ff_keep_numbers(keep, "last_step", &sim->last_step, 1);
  ff_keep_block(keep, "record", &sim->record, 1, sizeof sim->record);
  ff_keep_numbers(keep, "travel", sim->travel, sim->model->body_count);
  ff_keep_block(keep, "stopped", sim->stopped, sim->stop_count, sizeof *sim->stopped);
  ff_keep_block(keep, "ordered", &sim->ordered, 1, sizeof sim->ordered);
  for (int i = 0; i < sim->steer_count; i++) {
    if (sim->steers[i].controller) {
      ff_keep_block(keep, "controller.ticks", &sim->steers[i].ticker.ticks, 1, sizeof(long));
      ff_controller_keep(sim->steers[i].controller, keep);
    }
  }
  sim_keep_ticker(sim, keep);
}

/* ---- life ------------------------------------------------------------------------------------ */

void ff_state_destroy(ff_state **at) {
  ff_state *state = at ? *at : NULL;
  if (state) {
    *at = NULL;
    ff_free(state->data);
    ff_free(state->parts);
    ff_free(state->names);
    ff_free(state);
  }
}

/* Reserves capacity for at least `bytes` bytes and `parts` parts. */
static ff_status state_reserve(ff_state *state, size_t bytes, int parts) {
  if (bytes > state->capacity) {
    size_t capacity = bytes + bytes / 4;
    unsigned char *data = ff_alloc(capacity, 1);
    if (!data) {
      return FF_ERROR_MEMORY;
    }
    ff_free(state->data);
    state->data = data;
    state->capacity = capacity;
  }
  if (parts > state->part_capacity) {
    ff_keep_part *list = ff_alloc((size_t)parts, sizeof *list);
    if (!list) {
      return FF_ERROR_MEMORY;
    }
    ff_free(state->parts);
    state->parts = list;
    state->part_capacity = parts;
  }
  return FF_OK;
}

ff_status ff_state_save(const ff_sim *sim, ff_state *state) {
  if (!sim || !state) {
    return FF_ERROR_INPUT;
  }
  union {
    const ff_sim *read;
    ff_sim *write;
  } of = {.read = sim}; /* a save only reads */
  for (int round = 0; round < 2; round++) {
    ff_keep keep = {.mode = FF_KEEP_SAVE,
                    .data = state->data,
                    .capacity = state->capacity,
                    .parts = state->parts,
                    .part_capacity = state->part_capacity};
    sim_keep(of.write, &keep);
    if (keep.used <= state->capacity && keep.part_count <= state->part_capacity) {
      ff_free(state->names);
      state->names = NULL;
      state->structure = sim->structure;
      state->t = sim->state.t;
      state->slots = sim->model->free_count;
      state->used = keep.used;
      state->part_count = keep.part_count;
      state->read = false;
      return FF_OK;
    }
    ff_status status = state_reserve(state, keep.used, keep.part_count);
    if (status != FF_OK) {
      return status;
    }
  }
  return FF_ERROR_MEMORY;
}

ff_status ff_state_create(ff_state **out, const ff_sim *sim) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!sim) {
    return FF_ERROR_INPUT;
  }
  ff_state *state = ff_alloc(1, sizeof *state);
  ff_status status = state ? ff_state_save(sim, state) : FF_ERROR_MEMORY;
  if (status != FF_OK) {
    ff_state_destroy(&state);
    return status;
  }
  *out = state;
  return FF_OK;
}

/* ---- restoring ------------------------------------------------------------------------------- */

/* Do the lists of contacts refer to what exists? In a pooled state pairs have points anywhere. */
static bool sim_lists_are_valid(const ff_sim *sim) {
  const ff_dynamic_state *state = &sim->state;
  const ff_model *model = sim->model;
  int nears = 0, points = 0;
  for (int m = 0; m < state->meet_count; m++) {
    const ff_meet *meet = &state->meets[m];
    bool known = meet->a >= 0 && meet->a < model->body_count && meet->b >= 0 &&
                 meet->b < model->body_count && meet->first_near == nears && meet->near_count > 0 &&
                 meet->near_count <= state->near_count - nears;
    if (!known) {
      return false;
    }
    nears += meet->near_count;
  }
  for (int n = 0; n < state->near_count; n++) {
    const ff_near *near = &state->nears[n];
    bool known = near->shape_a >= 0 && near->shape_a < model->shape_count && near->shape_b >= 0 &&
                 near->shape_b < model->shape_count && near->binding >= 0 &&
                 near->binding < model->binding_count && near->first_point >= 0 &&
                 near->first_point <= state->point_count && near->point_count >= 0 &&
                 near->point_count <= state->point_count - near->first_point;
    if (!known) {
      return false;
    }
    points += near->point_count;
  }
  return nears == state->near_count && points <= state->point_count;
}

/* Settings of a state, which may have been read from bytes, and capacity for its contacts. */
static ff_status sim_make_room(ff_sim *sim, const ff_state *state) {
  ff_keep keep = {.mode = FF_KEEP_LOAD, .data = state->data, .capacity = state->used};
  ff_list_size size = {0};
  ff_status status = ff_settings_load(sim, &keep);
  if (status != FF_OK) {
    return status;
  }
  ff_state_keep_size(&size, &keep);
  size_t bytes = (size_t)size.meets * sizeof(ff_meet) + (size_t)size.nears * sizeof(ff_near) +
                 (size_t)size.points * (sizeof(ff_point) + sim->state.own_size);
  if (keep.bad || bytes > state->used) {
    return FF_ERROR_INPUT;
  }
  return ff_work_reserve(&sim->work, size);
}

static ff_status sim_load(ff_sim *sim, const ff_state *state) {
  ff_keep keep = {.mode = FF_KEEP_LOAD, .data = state->data, .capacity = state->used};
  ff_status status = sim_make_room(sim, state);
  if (status != FF_OK) {
    return status;
  }
  sim_keep(sim, &keep);
  sim->failed = FF_OK;
  return !keep.bad && keep.used == state->used ? FF_OK : FF_ERROR_INPUT;
}

/* A state that was read from bytes may be anything: if it does not fit, the sim is as before. */
static ff_status sim_load_checked(ff_sim *sim, const ff_state *state) {
  ff_state *before;
  ff_status status = ff_state_create(&before, sim);
  if (status != FF_OK) {
    return status;
  }
  status = sim_load(sim, state);
  if (status != FF_OK || !sim_lists_are_valid(sim)) {
    sim_load(sim, before);
    status = status == FF_OK ? FF_ERROR_INPUT : status;
  }
  ff_state_destroy(&before);
  return status;
}

ff_status ff_state_restore(ff_sim *sim, const ff_state *state) {
  if (!sim || !state || state->structure != sim->structure) {
    return FF_ERROR_INPUT;
  }
  if (state->read) {
    return sim_load_checked(sim, state);
  }
  return sim_load(sim, state);
}

ff_status ff_sim_clone(ff_sim **out, const ff_sim *sim) {
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  ff_state *state;
  ff_status status = ff_state_create(&state, sim);
  if (status != FF_OK) {
    return status;
  }
  status = ff_sim_create(out, sim->base);
  if (status == FF_OK && (status = ff_state_restore(*out, state)) != FF_OK) {
    ff_sim_destroy(out);
  }
  ff_state_destroy(&state);
  return status;
}

/* ---- copies ---------------------------------------------------------------------------------- */

ff_status ff_state_copy(ff_state *to, const ff_state *from) {
  if (!to || !from) {
    return FF_ERROR_INPUT;
  }
  if (to == from) {
    return FF_OK;
  }
  char(*names)[PART_NAME] = NULL;
  ff_status status = state_reserve(to, from->used, from->part_count);
  if (status == FF_OK && from->names) {
    names = ff_alloc((size_t)from->part_count, sizeof *names);
    status = names ? FF_OK : FF_ERROR_MEMORY;
  }
  if (status != FF_OK) {
    return status;
  }
  ff_free(to->names);
  to->names = names;
  memcpy(to->data, from->data, from->used);
  memcpy(to->parts, from->parts, (size_t)from->part_count * sizeof *to->parts);
  for (int i = 0; names && i < from->part_count; i++) {
    memcpy(names[i], from->names[i], sizeof *names);
    to->parts[i].name = names[i];
  }
  to->structure = from->structure;
  to->t = from->t;
  to->slots = from->slots;
  to->used = from->used;
  to->part_count = from->part_count;
  to->read = from->read;
  return FF_OK;
}

double ff_state_time(const ff_state *state) {
  return state ? state->t : NAN;
}

size_t ff_state_size(const ff_state *state) {
  return state ? state->used : 0;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void state_report_number(ff_report *report, const ff_state *a, const ff_state *b,
                                const ff_keep_part *part, size_t index) {
  static const char *const of_body[FF_Y_BODY] = {
      "position.x",    "position.y",    "position.z", "orientation.w", "orientation.x",
      "orientation.y", "orientation.z", "velocity.x", "velocity.y",    "velocity.z",
      "momentum.x",    "momentum.y",    "momentum.z"};
  double x, y;
  memcpy(&x, a->data + part->at + index * sizeof x, sizeof x);
  memcpy(&y, b->data + part->at + index * sizeof y, sizeof y);
  ff_report_what(report, "%.17g and %.17g, at %.9g s", x, y, a->t);
  if (strcmp(part->name, "y") == 0 && index < (size_t)a->slots * FF_Y_BODY) {
    ff_report_key(report, "free body %zu: %s", index / FF_Y_BODY + 1, of_body[index % FF_Y_BODY]);
  } else {
    ff_report_key(report, "%s[%zu]", part->name, index);
  }
}

static void state_report_part(ff_report *report, const ff_state *a, const ff_state *b,
                              const ff_keep_part *part) {
  size_t byte = 0;
  while (a->data[part->at + byte] == b->data[part->at + byte]) {
    byte++;
  }
  size_t index = byte / part->size;
  if (part->kind == FF_KEEP_DOUBLES) {
    state_report_number(report, a, b, part, index);
    return;
  }
  if (part->kind == FF_KEEP_INTS) {
    int x, y;
    memcpy(&x, a->data + part->at + index * sizeof x, sizeof x);
    memcpy(&y, b->data + part->at + index * sizeof y, sizeof y);
    ff_report_what(report, "%d and %d, at %.9g s", x, y, a->t);
  } else {
    ff_report_what(report, "different in byte %zu of %zu, at %.9g s", byte % part->size, part->size,
                   a->t);
  }
  ff_report_key(report, "%s[%zu]", part->name, index);
}

bool ff_state_equal(const ff_state *a, const ff_state *b, ff_report *difference) {
  if (!a || !b || a->structure != b->structure) {
    ff_report_what(difference, "states of different models, or none");
    return false;
  }
  for (int i = 0; i < a->part_count && i < b->part_count; i++) {
    const ff_keep_part *p = &a->parts[i], *q = &b->parts[i];
    if (p->at != q->at || p->count != q->count || p->size != q->size ||
        strcmp(p->name, q->name) != 0) {
      ff_report_what(difference, "of different size: %zu and %zu elements", p->count, q->count);
      ff_report_key(difference, "%s", p->name);
      return false;
    }
    if (memcmp(a->data + p->at, b->data + q->at, p->count * p->size) != 0) {
      state_report_part(difference, a, b, p);
      return false;
    }
  }
  return a->part_count == b->part_count;
}

/* ---- bytes ----------------------------------------------------------------------------------- */

enum { STATE_VERSION = 2 };
static const char state_mark[8] = "ffstate";

typedef struct state_head {
  char mark[8];
  uint32_t version, parts;
  uint64_t structure, used;
  double t;
  int64_t slots;
  uint64_t order;    /* of the bytes of a number */
  uint64_t checksum; /* of all before it, and of all after it */
} state_head;

typedef struct state_part {
  char name[PART_NAME];
  uint64_t at, count, size, kind;
} state_part;

static const uint64_t state_order = 0x0102030405060708;

size_t ff_state_serialise(const ff_state *state, void *out, size_t capacity) {
  if (!state) {
    return 0;
  }
  size_t parts = (size_t)state->part_count * sizeof(state_part);
  size_t size = sizeof(state_head) + parts + state->used;
  if (!out || capacity < size) {
    return size;
  }
  unsigned char *to = out;
  state_head head = {.version = STATE_VERSION,
                     .parts = (uint32_t)state->part_count,
                     .structure = state->structure,
                     .used = state->used,
                     .t = state->t,
                     .slots = state->slots,
                     .order = state_order};
  memcpy(head.mark, state_mark, sizeof head.mark);
  for (int i = 0; i < state->part_count; i++) {
    const ff_keep_part *part = &state->parts[i];
    state_part about = {
        .at = part->at, .count = part->count, .size = part->size, .kind = (uint64_t)part->kind};
    snprintf(about.name, sizeof about.name, "%s", part->name);
    memcpy(to + sizeof head + (size_t)i * sizeof about, &about, sizeof about);
  }
  memcpy(to + sizeof head + parts, state->data, state->used);
  head.checksum = ff_checksum(0, &head, offsetof(state_head, checksum));
  head.checksum = ff_checksum(head.checksum, to + sizeof head, parts + state->used);
  memcpy(to, &head, sizeof head);
  return size;
}

static ff_status state_check_head(const state_head *head, const unsigned char *bytes, size_t size,
                                  ff_report *report) {
  if (memcmp(head->mark, state_mark, sizeof head->mark) != 0) {
    return ff_report_what(report, "not a state");
  }
  if (head->order != state_order) {
    return ff_report_what(report, "a state of another kind of machine");
  }
  if (head->version != STATE_VERSION) {
    return ff_report_what(report, "a state of version %u; this library reads version %d",
                          head->version, STATE_VERSION);
  }
  size_t left = size - sizeof *head;
  if (head->parts > left / sizeof(state_part) ||
      head->used != left - head->parts * sizeof(state_part)) {
    return ff_report_what(report, "damaged: its length is wrong");
  }
  uint64_t sum = ff_checksum(0, head, offsetof(state_head, checksum));
  sum = ff_checksum(sum, bytes + sizeof *head, left);
  return sum == head->checksum ? FF_OK : ff_report_what(report, "damaged: its checksum is wrong");
}

static bool state_take_parts(ff_state *state, const unsigned char *bytes) {
  for (int i = 0; i < state->part_count; i++) {
    state_part part;
    memcpy(&part, bytes + (size_t)i * sizeof part, sizeof part);
    memcpy(state->names[i], part.name, sizeof part.name);
    state->names[i][PART_NAME - 1] = '\0';
    if (part.size == 0 || part.at > state->used || part.kind > FF_KEEP_BYTES ||
        part.count > (state->used - part.at) / part.size) {
      return false;
    }
    state->parts[i] =
        (ff_keep_part){state->names[i], part.at, part.count, part.size, (ff_keep_kind)part.kind};
  }
  return true;
}

ff_status ff_state_deserialise(ff_state **out, const void *bytes, size_t size, ff_report *report) {
  state_head head;
  if (!out) {
    return FF_ERROR_INPUT;
  }
  *out = NULL;
  if (!bytes || size < sizeof head) {
    return ff_report_what(report, "not a state: too short");
  }
  memcpy(&head, bytes, sizeof head);
  ff_status status = state_check_head(&head, bytes, size, report);
  if (status != FF_OK) {
    return status;
  }
  ff_state *state = ff_alloc(1, sizeof *state);
  status = state ? state_reserve(state, head.used, (int)head.parts) : FF_ERROR_MEMORY;
  if (status == FF_OK) {
    state->names = ff_alloc(head.parts, sizeof *state->names);
    status = state->names ? FF_OK : FF_ERROR_MEMORY;
  }
  if (status == FF_OK) {
    state->structure = head.structure;
    state->t = head.t;
    state->slots = (int)head.slots;
    state->used = head.used;
    state->part_count = (int)head.parts;
    state->read = true;
    const unsigned char *parts = (const unsigned char *)bytes + sizeof head;
    memcpy(state->data, parts + head.parts * sizeof(state_part), head.used);
    status = state_take_parts(state, parts) ? FF_OK : ff_report_what(report, "damaged");
  }
  if (status != FF_OK) {
    ff_state_destroy(&state);
    return status;
  }
  *out = state;
  return FF_OK;
}
