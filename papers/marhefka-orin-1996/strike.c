/* One impact, simulated and exact. */
#include "marhefka.h"

#include <math.h>

static const char *const channels[STRIKE_CHANNELS] = {
    "contact.body:ground.depth", "contact.body:ground.depth_rate", "contact.body:ground.force.n"};

static const ff_trace *run(ff_reproduction *study, const ff_hunt_crossley_impact *g,
                           double duration, long samples) {
  double back = isnan(g->alpha_restitution) ? g->alpha : g->alpha_restitution;
  const char *const set[] = {
      ff_reproduction_text(study, "bodies.body.mass=%.17g", g->mass),
      ff_reproduction_text(study, "bodies.body.velocity=[0, 0, %.17g]", -g->speed),
      ff_reproduction_text(study, "contacts.0.normal.k=%.17g", g->k),
      ff_reproduction_text(study, "contacts.0.normal.n=%.17g", g->n),
      ff_reproduction_text(study, "contacts.0.normal.alpha=%.17g", g->alpha),
      ff_reproduction_text(study, "contacts.0.normal.alpha_restitution=%.17g", back),
      /* Beyond the end, to include the lift-off. */
      ff_reproduction_text(study, "duration=%.17g", 1.05 * duration),
  };
  return ff_reproduction_run(study, &(ff_trial){.scene = "papers/marhefka-orin-1996/impact.yaml",
                                                .set = set,
                                                .set_count = sizeof set / sizeof *set,
                                                .channels = channels,
                                                .channel_count = STRIKE_CHANNELS,
                                                .span = duration,
                                                .samples = samples});
}

/* Simpson's rule for the power of the force; the number of samples is odd. */
static double loop_area(const ff_trace *trace) {
  double sum = 0, h = trace->time[1] - trace->time[0];
  for (long i = 0; i < trace->rows; i++) {
    double weight = i == 0 || i == trace->rows - 1 ? 1 : i % 2 ? 4 : 2;
    sum += weight * trace->channels[FORCE][i] * trace->channels[RATE][i];
  }
  return sum * h / 3;
}

/* Simpson's rule for the force: the impulse up to a time. */
static double impulse_until(ff_reproduction *study, const ff_hunt_crossley_impact *given,
                            double time, long samples) {
  const ff_trace *trace = run(study, given, time, samples);
  double sum = 0, h = trace->time[1] - trace->time[0];
  for (long i = 0; i < trace->rows; i++) {
    double weight = i == 0 || i == trace->rows - 1 ? 1 : i % 2 ? 4 : 2;
    sum += weight * trace->channels[FORCE][i];
  }
  return sum * h / 3;
}

static double smallest(const double *values, long count) {
  double least = INFINITY;
  for (long i = 0; i < count; i++) {
    least = fmin(least, values[i]);
  }
  return least;
}

strike strike_make(ff_reproduction *study, ff_hunt_crossley_impact given, long samples) {
  strike s = {.given = given};
  ff_report report = {0};
  ff_status status = ff_impact_hunt_crossley(&s.exact, &given, &report);
  if (status != FF_OK) {
    study->fail(study->context, status, &report);
  }
  s.trace = run(study, &given, s.exact.duration, samples);
  const ff_event *lift = ff_trace_event(s.trace, FF_EVENT_LIFT);
  if (lift) {
    s.found = (ff_impact){.restitution = lift->speed / given.speed,
                          .speed_out = lift->speed,
                          .energy_lost = s.trace->energy.lost[FF_LOST_NORMAL],
                          .depth_max = lift->peak_depth,
                          .force_max = lift->peak_force,
                          .time_force_max = lift->peak_time,
                          .duration = lift->time};
  }
  s.area = loop_area(s.trace);
  double compression = impulse_until(study, &given, s.exact.time_depth_max, samples);
  s.poisson = impulse_until(study, &given, s.exact.duration, samples) / compression - 1;
  s.force_min = smallest(s.trace->channels[FORCE], s.trace->rows);
  return s;
}

double strike_force(const strike *s, double velocity) {
  double depth = ff_impact_depth(&s->given, velocity);
  return s->given.k * pow(depth, s->given.n) * (1 + 1.5 * s->given.alpha * velocity);
}

void strike_path(const strike *s, int count, double *velocity, double *depth, double *force) {
  double from = s->given.speed, to = -s->exact.speed_out;
  for (int i = 0; i < count; i++) {
    /* Dense at both ends, where depth behaves like a root of velocity. */
    double part = sin(acos(-1.0) / 2 * i / (count - 1));
    velocity[i] = i == count - 1 ? to : from + (to - from) * part * part;
    depth[i] = fmax(ff_impact_depth(&s->given, velocity[i]), 0); /* NAN at the end is 0 */
    force[i] = depth[i] > 0 ? strike_force(s, velocity[i]) : 0;
  }
}

static double differ(double found, double exact) {
  return fabs(found - exact) / fabs(exact);
}

double strike_error(const strike *s) {
  const ff_impact *a = &s->found, *b = &s->exact;
  const double all[] = {
      differ(a->restitution, b->restitution), differ(a->depth_max, b->depth_max),
      differ(a->force_max, b->force_max),     differ(a->time_force_max, b->time_force_max),
      differ(a->duration, b->duration),       differ(a->energy_lost, b->energy_lost)};
  double worst = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    worst = fmax(worst, all[i]);
  }
  return worst;
}

void strike_report(ff_reproduction *study, const strike *s, const char *name) {
  const struct {
    const char *key, *unit;
    double found, exact;
  } rows[] = {{"restitution", "1", s->found.restitution, s->exact.restitution},
              {"depth_max", "m", s->found.depth_max, s->exact.depth_max},
              {"force_max", "N", s->found.force_max, s->exact.force_max},
              {"time_force_max", "s", s->found.time_force_max, s->exact.time_force_max},
              {"duration", "s", s->found.duration, s->exact.duration},
              {"energy_lost", "J", s->found.energy_lost, s->exact.energy_lost}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.%s", name, rows[i].key),
                           rows[i].found, rows[i].unit);
    ff_reproduction_number(study, ff_reproduction_text(study, "%s.%s.exact", name, rows[i].key),
                           rows[i].exact, rows[i].unit);
  }
}
