/* Makes the pages that the browser tests open: page_fixture KIND OUT.html
 *
 *   ball      a ball that bounces on a floor, in closed form
 *   hostile   the same, with names that try to be more than names
 *   long      the same, 10^6 samples
 *   paper     claims, tables and plots, as a reproduction makes them
 *
 * The recording behind the first three stays beside it as OUT.html.h5. */
#include "footfall/page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop_on(ff_status status, const ff_report *report, const char *what) {
  if (status != FF_OK) {
    char text[4096];
    ff_report_text(report, text, sizeof text);
    fprintf(stderr, "%s: %s: %s\n", what, ff_status_text(status), text);
    exit(1);
  }
}

/* ---- a ball that bounces without loss while it rolls along x ------------------------------ */

enum { CHANNELS = 25, NAME = 512 };
static const double radius = 0.1, drop = 1.0, gravity = 9.81, mass = 2.0, stiffness = 2e4;

/* B stands for the body, C for the contact. */
static const char *const parts[CHANNELS][2] = {{"time", "s"},
                                               {"B.position.x", "m"},
                                               {"B.position.y", "m"},
                                               {"B.position.z", "m"},
                                               {"B.orientation.w", "1"},
                                               {"B.orientation.x", "1"},
                                               {"B.orientation.y", "1"},
                                               {"B.orientation.z", "1"},
                                               {"B.velocity.x", "m/s"},
                                               {"B.velocity.y", "m/s"},
                                               {"B.velocity.z", "m/s"},
                                               {"C.depth", "m"},
                                               {"C.count", "1"},
                                               {"C.force.n", "N"},
                                               {"C.force.x", "N"},
                                               {"C.force.y", "N"},
                                               {"C.force.z", "N"},
                                               {"C.point.x", "m"},
                                               {"C.point.y", "m"},
                                               {"C.point.z", "m"},
                                               {"C.mode", "1"},
                                               {"energy.kinetic", "J"},
                                               {"energy.gravity", "J"},
                                               {"energy.spring.normal", "J"},
                                               {"energy.residual", "J"}};

typedef struct motion {
  double z, v, force;
} motion;

/* Flight, half a swing on the spring, flight: seen from the highest point. */
static motion ball_at(double t) {
  double fall = sqrt(2 * drop / gravity), speed = gravity * fall;
  double omega = sqrt(stiffness / mass), touch = acos(-1.0) / omega;
  double phase = fmod(t + fall, 2 * fall + touch); /* 0: lift-off */
  if (phase < 2 * fall) {
    return (motion){radius + speed * phase - gravity * phase * phase / 2, speed - gravity * phase,
                    0};
  }
  double angle = omega * (phase - 2 * fall);
  return (motion){radius - speed / omega * sin(angle), -speed * cos(angle),
                  stiffness * speed / omega * sin(angle)};
}

static void fill_row(double t, double row[CHANNELS]) {
  motion now = ball_at(t);
  double x = 0.3 * t, half = x / radius / 2, force = now.force;
  double depth = radius > now.z ? radius - now.z : 0;
  double kinetic = mass * now.v * now.v / 2, weight = mass * gravity * now.z;
  double spring = stiffness * depth * depth / 2;
  double residual = kinetic + weight + spring - mass * gravity * (radius + drop);
  double mode = force > 0 ? 1 + (fmod(t, 2) > 1) : 0;
  double values[CHANNELS] = {t,           x,      0,      now.z,   cos(half), 0,         sin(half),
                             0,           0.3,    0,      now.v,   depth,     force > 0, force,
                             0.2 * force, 0,      force,  x,       0,         0,         mode,
                             kinetic,     weight, spring, residual};
  memcpy(row, values, sizeof values);
}

static void name_channels(char names[CHANNELS][NAME], const char *ball, const char *floor) {
  for (int i = 0; i < CHANNELS; i++) {
    const char *part = parts[i][0];
    if (part[0] == 'B') {
      snprintf(names[i], NAME, "body.%s%s", ball, part + 1);
    } else if (part[0] == 'C') {
      snprintf(names[i], NAME, "contact.%s:%s%s", ball, floor, part + 1);
    } else {
      snprintf(names[i], NAME, "%s", part);
    }
  }
}

static void write_scene(char *text, size_t size, const char *title, const char *ball,
                        const char *floor) {
  snprintf(text, size,
           "footfall: 1\n"
           "name: \"%s\"\n"
           "bodies:\n"
           "  \"%s\": {fixed: true, shape: {half-space: {}}}\n"
           "  \"%s\": {mass: 2, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1.1]}\n"
           "contacts:\n"
           "  - pair: [\"%s\", \"%s\"]\n"
           "    normal: {law: linear, k: 2e4, b: 0}\n"
           "    friction: {law: coulomb, mu_static: 0.4, mu_kinetic: 0.3}\n",
           title, floor, ball, ball, floor);
}

/* The events and verdict a run would write. */
static void write_summary(char *text, size_t size, const char *ball, const char *floor) {
  double fall = sqrt(2 * drop / gravity), speed = gravity * fall;
  double omega = sqrt(stiffness / mass), touch = acos(-1.0) / omega;
  size_t used = (size_t)snprintf(text, size,
                                 "{\"footfall\":\"0.0.9\",\"steps\":1234,\"audit\":{\"verdict\":"
                                 "\"good\",\"energy_residual\":1.5e-13},\"findings\":[{\"kind\":"
                                 "\"coarse step\",\"severity\":\"failure\",\"bodies\":"
                                 "[\"ball\",\"floor\"],\"first\":0.2,\"worst\":0.7,"
                                 "\"value\":0.5,\"limit\":0.3,\"unit\":\"rad\","
                                 "\"meaning\":\"turns far in a step\","
                                 "\"advice\":\"take a smaller step\"}],"
                                 "\"contact_events\":[");
  for (int i = 0; i < 2; i++) {
    double down = fall + i * (2 * fall + touch);
    used += (size_t)snprintf(
        text + used, size - used,
        "%s{\"time\":%.17g,\"kind\":\"touch\",\"a\":\"%s\",\"b\":\"%s\",\"speed\":%.17g},"
        "{\"time\":%.17g,\"kind\":\"lift\",\"a\":\"%s\",\"b\":\"%s\",\"speed\":%.17g,"
        "\"peak_force\":%.17g,\"peak_time\":%.17g,\"peak_depth\":%.17g}",
        i ? "," : "", down, ball, floor, speed, down + touch, ball, floor, speed,
        stiffness * speed / omega, down + touch / 2, speed / omega);
  }
  snprintf(text + used, size - used, "]}");
}

static void record(const char *path, const char *title, const char *ball, const char *floor,
                   long rows, double every) {
  static char names[CHANNELS][NAME], scene[4096], summary[8192];
  const char *list[CHANNELS], *units[CHANNELS];
  ff_report report = {0};
  ff_recorder *recorder;
  name_channels(names, ball, floor);
  write_scene(scene, sizeof scene, title, ball, floor);
  write_summary(summary, sizeof summary, ball, floor);
  for (int i = 0; i < CHANNELS; i++) {
    list[i] = names[i];
    units[i] = parts[i][1];
  }
  ff_recording_info info = {
      .scene = scene, .summary = "", .names = list, .units = units, .count = CHANNELS};
  stop_on(ff_recorder_create(&recorder, path, &info, &report), &report, path);
  for (long i = 0; i < rows; i++) {
    double row[CHANNELS];
    fill_row((double)i * every, row);
    stop_on(ff_recorder_add(recorder, row), &report, path);
  }
  stop_on(ff_recorder_close(&recorder, summary, &report), &report, path);
}

/* ---- pages -------------------------------------------------------------------------------- */

static ff_page *make_page(const char *title) {
  ff_page *page;
  stop_on(ff_page_create(&page, title), &(ff_report){0}, "page");
  return page;
}

static void finish(ff_page *page, const char *out) {
  ff_report report = {0};
  stop_on(ff_page_write(page, out, &report), &report, out);
  ff_page_destroy(&page);
}

static void show_run(ff_page *page, const char *path) {
  ff_report report = {0};
  ff_recording *recording;
  stop_on(ff_recording_open(&recording, path, &report), &report, path);
  stop_on(ff_page_show_run(page, recording), &report, path);
  ff_recording_close(&recording);
}

static void make_ball(const char *out, const char *recorded, long rows, double every) {
  record(recorded, "Ball", "ball", "floor", rows, every);
  ff_page *page = make_page("Ball");
  show_run(page, recorded);
  finish(page, out);
}

/* Everything a name could try. Each sets window.pwned if it gets anywhere. */
static const char *const hostile[] = {
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    "\"><svg onload=window.pwned=3>",
    "' onmouseover='window.pwned=4",
    "${window.pwned=5}`{{window.pwned=6}}",
    "javascript:window.pwned=7//",
    "<!--<script>",
    "]]>--></style></title><b>bold</b>",
    "&lt;b&gt; &amp; &#60;i&#62;",
    "\xe2\x80\xaereversed\xe2\x80\xac \xe2\x81\xa6isolated",
    "control\x01\x02\x1b[31m\x7f\xc2\x9b",
    "broken \xff\xfe\xc0\xaf\xed\xa0\x80 utf-8",
    "\xe2\x80\xa8line\xe2\x80\xa9 paragraph",
    "__proto__",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

static void add_hostile_blocks(ff_page *page, const char *name) {
  double x[] = {0, 1, 2}, y[] = {1, 4, 9};
  const char *cells[] = {name, name};
  ff_page_section(page, name);
  ff_page_text(page, "%s", name);
  ff_page_table(page, name, cells, 2);
  ff_page_row(page, cells);
  ff_page_claim(page, &(ff_claim){name, name, name, name, name, name, FF_CLAIM_HOLDS, name});
  ff_page_plot(page, name, (ff_axis){name, name, false}, (ff_axis){name, name, false});
  ff_page_curve(page, name, FF_CURVE_LINE_MARKERS, x, y, 3);
  ff_page_source(page, name, name);
}

static void make_hostile(const char *out, const char *recorded) {
  /* As wild as scenes and recordings allow: no slash, point, colon or white space. */
  record(recorded, "<script>window.pwned=8</script>", "<script>window['pwned']=9",
         "'><plaintext>&amp;", 400, 5e-3);
  ff_page *page = make_page(hostile[0]);
  ff_page_subtitle(page, hostile[1]);
  show_run(page, recorded);
  for (int i = 0; i < HOSTILE; i++) {
    add_hostile_blocks(page, hostile[i]);
  }
  char *endless = malloc(20001);
  memset(endless, 'W', 20000);
  endless[20000] = 0;
  add_hostile_blocks(page, endless);
  free(endless);
  finish(page, out);
}

static void make_paper(const char *out) {
  enum { N = 50 };
  double speed[N], exact[N], rough[N];
  for (int i = 0; i < N; i++) {
    speed[i] = 0.01 * pow(1.2, i);
    exact[i] = 1 / (1 + 0.3 * speed[i]);
    rough[i] = 1 - 0.3 * speed[i];
  }
  ff_page *page = make_page("Restitution over impact speed");
  ff_page_text(page, "A mass of %g kg.\n\nOn a fixed floor.", 2.0);
  ff_page_section(page, "Fig. 4");
  ff_page_plot(page, "Restitution", (ff_axis){"impact speed", "m/s", true},
               (ff_axis){"restitution", "1", false});
  ff_page_curve(page, "exact", FF_CURVE_LINE, speed, exact, N);
  ff_page_curve(page, "first order", FF_CURVE_DASH, speed, rough, 25);
  ff_page_curve(page, "paper", FF_CURVE_MARKERS, speed + 5, exact + 5, 10);
  ff_page_plot(page, "Error", (ff_axis){"impact speed", "m/s", false},
               (ff_axis){"1 - e", NULL, true});
  ff_page_curve(page, "first order", FF_CURVE_LINE_MARKERS, speed, speed, 30);
  ff_page_claim(page, &(ff_claim){.claim = "restitution falls with speed",
                                  .source = "Fig. 4",
                                  .paper = "0.88",
                                  .criterion = "e at 1 m/s from 0.87 to 0.89",
                                  .basis = "reading: 1 %",
                                  .result = "0.8801",
                                  .verdict = FF_CLAIM_HOLDS});
  ff_page_claim(page, &(ff_claim){.claim = "the peak moves",
                                  .paper = "3 ms",
                                  .result = "5 ms",
                                  .verdict = FF_CLAIM_DIFFERS,
                                  .note = "a misprint"});
  ff_page_table(page, "Settings", (const char *[]){"name", "value"}, 2);
  ff_page_row(page, (const char *[]){"mass", "2"});
  ff_page_row(page, (const char *[]){"gravity", "9.81"});
  finish(page, out);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "page_fixture ball|hostile|long|paper OUT.html\n");
    return 2;
  }
  char recorded[4096];
  snprintf(recorded, sizeof recorded, "%s.h5", argv[2]);
  if (strcmp(argv[1], "ball") == 0) {
    make_ball(argv[2], recorded, 1501, 1e-3);
  } else if (strcmp(argv[1], "long") == 0) {
    make_ball(argv[2], recorded, 1000000, 2e-5);
  } else if (strcmp(argv[1], "hostile") == 0) {
    make_hostile(argv[2], recorded);
  } else {
    make_paper(argv[2]);
  }
  return 0;
}
