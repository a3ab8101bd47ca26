/* Example 1 in closed form: alternating free fall and harmonic motion.
 *
 * On the layer the depth is a + A cos(w t - phase) with a = m g / k; it ends at depth 0, or at the
 * core, where the velocity becomes zero. */
#include "chakraborty.h"

#include <math.h>

static const double g = 9.81, k = 1000, mass = 1, radius = 1, start = 1.5;

/* A phase of the motion, from its start to its end. */
typedef struct phase {
  bool on_layer, at_core;           /* at_core: it begins where the core has stopped the disc */
  double from, until;               /* s */
  double height, speed;             /* m, m/s, of free flight at its start */
  double middle, size, angle, rate; /* m, m, rad, rad/s, on the layer */
  double end_depth, end_rate;       /* m, m/s, on the layer at its end */
} phase;

static phase fly(double t, double height, double speed) {
  double fall = sqrt(speed * speed + 2 * g * (height - radius));
  return (phase){.from = t,
                 .until = t + (speed + fall) / g,
                 .height = height,
                 .speed = speed,
                 .end_rate = fall};
}

static phase press(double t, double depth, double rate, double max_deflection) {
  double w = sqrt(k / mass), a = mass * g / k;
  phase out = {
      .on_layer = true, .at_core = depth >= max_deflection, .from = t, .middle = a, .rate = w};
  out.size = hypot(depth - a, rate / w);
  out.angle = atan2(rate / w, depth - a);
  double reach = (max_deflection - a) / out.size;
  bool hits = !out.at_core && reach < 1;
  out.end_depth = hits ? max_deflection : 0;
  double turn = hits ? out.angle - acos(reach) : out.angle + acos(-a / out.size);
  out.until = t + turn / w;
  out.end_rate = -out.size * w * sin(turn - out.angle);
  return out;
}

static phase next_phase(const phase *now, double max_deflection) {
  double t = now->until;
  if (!now->on_layer) {
    return press(t, 0, now->end_rate, max_deflection);
  }
  return now->end_depth > 0 ? press(t, max_deflection, 0, max_deflection)
                            : fly(t, radius, -now->end_rate);
}

exact_disc exact_disc_at(double max_deflection, double t) {
  phase now = fly(0, start, 0);
  while (now.until < t) {
    now = next_phase(&now, max_deflection);
  }
  double since = t - now.from, turn = now.rate * since - now.angle;
  double depth = now.on_layer ? now.middle + now.size * cos(turn) : 0;
  exact_disc out = {.height = radius - depth, .speed = now.size * now.rate * sin(turn)};
  if (!now.on_layer) {
    out.height = now.height + now.speed * since - 0.5 * g * since * since;
    out.speed = now.speed - g * since;
  }
  out.force = k * depth;
  out.energy = 0.5 * mass * out.speed * out.speed + mass * g * out.height + 0.5 * k * depth * depth;
  return out;
}

double exact_disc_core(double max_deflection, double *impulse) {
  phase fall = fly(0, start, 0), layer = next_phase(&fall, max_deflection);
  *impulse = mass * layer.end_rate;
  return layer.end_depth > 0 ? layer.until : NAN;
}

double exact_disc_deepest(void) {
  phase fall = fly(0, start, 0), layer = next_phase(&fall, INFINITY);
  return layer.middle + layer.size;
}
