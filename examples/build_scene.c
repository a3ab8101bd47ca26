/* A scene built in C: a ball is thrown at a floor, without gravity. Events tell its restitution,
 * which is held against the exact one of the law. */
#include <footfall/footfall.h>
#include <math.h>
#include <stdio.h>

static ff_status describe(ff_scene *scene, double alpha) {
  ff_body floor, ball;
  ff_shape shape;
  ff_body_def body = ff_body_def_default();
  body.name = "floor";
  body.kind = FF_BODY_FIXED;
  ff_status status = ff_scene_add_body(&floor, scene, &body);
  body = ff_body_def_default();
  body.name = "ball";
  body.mass = 0.2;
  body.position = (ff_vec3){0, 0, 0.06};
  body.velocity = (ff_vec3){0, 0, -3};
  status = status ? status : ff_scene_add_body(&ball, scene, &body);

  ff_shape_def ground = ff_shape_def_default(), round = ff_shape_def_default();
  ground.kind = FF_HALF_SPACE;
  round.size.x = 0.05;
  status = status ? status : ff_scene_add_shape(&shape, scene, floor, &ground);
  status = status ? status : ff_scene_add_shape(&shape, scene, ball, &round);

  const char *names[] = {"k", "alpha"};
  ff_contact_def contact = ff_contact_def_default();
  contact.a = "ball";
  contact.b = "floor";
  contact.normal = (ff_law_choice){"hunt-crossley", names, (const double[]){1e7, alpha}, 2};
  status = status ? status : ff_scene_add_contact(scene, &contact);
  ff_run_def run = ff_run_def_default(); /* adaptive: lands on every touch and lift */
  run.gravity = (ff_vec3){0, 0, 0};
  run.duration = 0.1;
  return status ? status : ff_scene_set_run(scene, &run);
}

typedef struct bounce {
  double in, out; /* m/s */
} bounce;

static void watch(void *context, const ff_event *event) {
  bounce *b = context;
  if (event->kind == FF_EVENT_TOUCH) {
    b->in = event->speed;
  } else if (event->kind == FF_EVENT_LIFT) {
    b->out = event->speed;
  }
}

int main(void) {
  const double alpha = 0.1;
  ff_scene *scene = NULL;
  ff_model *model = NULL;
  ff_sim *sim = NULL;
  ff_report report = {0};
  bounce b = {0};
  ff_status status = ff_scene_create(&scene);
  status = status ? status : describe(scene, alpha);
  status = status ? status : ff_model_build(&model, scene, &report);
  status = status ? status : ff_sim_create(&sim, model);
  if (status == FF_OK) {
    ff_sim_on_event(sim, watch, &b);
    status = ff_sim_advance(sim, ff_model_run(model)->duration);
  }
  if (status != FF_OK) {
    fprintf(stderr, "%s: %s %s\n", ff_status_text(status), report.key, report.what);
    return 1;
  }
  double found = b.out / b.in, exact = ff_impact_restitution(alpha * b.in);
  printf("in at %.6f m/s, out at %.6f m/s: restitution %.6f, exact %.6f\n", b.in, b.out, found,
         exact);
  printf("energy out of nowhere: %.1e J\n", ff_sim_energy(sim).residual);
  ff_sim_destroy(&sim);
  ff_model_destroy(&model);
  ff_scene_destroy(&scene);
  return fabs(found - exact) < 1e-8 ? 0 : 1;
}
