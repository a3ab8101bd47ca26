/* The scene of a recording in a page: bodies with shapes, visuals and colours, constraints, look.
 */
#include "geom/implicit.h"
#include "io/page.h"
#include "math/vec.h"
#include "model/model.h"

#include <string.h>

static void page_add_pose(ff_text *text, ff_vec3 position, ff_quat orientation) {
  ff_text_json_key(text, "position");
  ff_text_json_numbers(text, &(double[]){position.x, position.y, position.z}[0], 3);
  ff_text_json_key(text, "orientation");
  double turn[] = {orientation.w, orientation.x, orientation.y, orientation.z};
  ff_text_json_numbers(text, turn, 4);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void page_add_points(ff_text *text, const ff_vec3 *points, int count) {
  ff_text_json_key(text, "vertices");
  ff_text_put(text, "[");
  for (int i = 0; i < count; i++) {
    const double v[3] = {points[i].x, points[i].y, points[i].z};
    ff_text_put(text, i ? "," : "");
    ff_text_json_numbers(text, v, 3);
  }
  ff_text_put(text, "]");
}

/* An intersection is drawn as the convex hull of the exit points of rays from its centre. */
static void page_add_rays(ff_text *text, const ff_shape_def *def) {
  enum { AROUND = 40, DOWN = 19 };
  ff_vec3 points[AROUND * DOWN];
  ff_arena scratch = {0};
  ff_geom geom;
  ff_pose frame;
  if (ff_geom_make(&geom, &frame, &scratch, def, NULL) == FF_OK) {
    for (int k = 0; k < AROUND * DOWN; k++) {
      double around = 2 * ff_pi * (k % AROUND) / AROUND;
      double down = ff_pi * (double)(k / AROUND) / (DOWN - 1);
      ff_vec3 ray = v3(ff_sin(down) * ff_cos(around), ff_sin(down) * ff_sin(around), ff_cos(down));
      double far = ff_geom_exit(&geom, v3(0, 0, 0), ray, NULL);
      points[k] = pose_point(frame, v3_scale(far, ray));
    }
    page_add_points(text, points, AROUND * DOWN);
  }
  ff_arena_free(&scratch);
}

/* Data of a shape beyond its sizes. */
static void page_add_form(ff_text *text, const ff_shape_def *def) {
  if (def->kind == FF_SUPERELLIPSOID) {
    ff_text_json_key(text, "exponents");
    ff_text_json_numbers(text, def->exponents, 2);
  } else if (def->kind == FF_POLYHEDRON) {
    page_add_points(text, def->vertices, def->vertex_count);
  } else if (def->kind == FF_INTERSECTION) {
    page_add_rays(text, def);
  }
}

static void page_add_shapes(ff_text *text, const ff_scene *scene, int body) {
  bool first = true;
  ff_text_json_key(text, "shapes");
  ff_text_put(text, "[");
  for (int i = 0; i < scene->shape_count; i++) {
    const ff_scene_shape *shape = &scene->shapes[i];
    if (shape->body.id == body) {
      double size[] = {shape->def.size.x, shape->def.size.y, shape->def.size.z};
      ff_text_put(text, first ? "{" : ",{");
      ff_text_json_member(text, "kind", ff_shape_kind_name(shape->def.kind));
      ff_text_json_key(text, "size");
      ff_text_json_numbers(text, size, 3);
      page_add_pose(text, shape->def.position, shape->def.orientation);
      page_add_form(text, &shape->def);
      ff_text_put(text, "}");
      first = false;
    }
  }
  ff_text_put(text, "]");
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static void page_add_visual(ff_text *text, const ff_robot_visual *visual, int mesh) {
  double size[] = {visual->size.x, visual->size.y, visual->size.z};
  double scale[] = {visual->scale.x, visual->scale.y, visual->scale.z};
  ff_text_put(text, "{");
  ff_text_json_member(text, "kind", visual->mesh ? "mesh" : ff_shape_kind_name(visual->kind));
  ff_text_json_key(text, "size");
  ff_text_json_numbers(text, visual->mesh ? scale : size, 3);
  page_add_pose(text, visual->pose.position, visual->pose.orientation);
  if (visual->mesh) {
    ff_text_json_member_number(text, "mesh", mesh);
  }
  if (visual->colour.given) {
    ff_text_json_key(text, "rgba");
    ff_text_json_numbers(text, visual->colour.rgba, 4);
  }
  ff_text_put(text, "}");
}

/* Visuals of a link; a mesh that cannot be read is counted and left out. */
static ff_status page_add_visuals(ff_page *page, ff_text *text, const ff_robot_def *def, int link) {
  bool first = true;
  int missing = 0;
  ff_text_json_key(text, "visuals");
  ff_text_put(text, "[");
  for (int i = 0; i < def->visual_count; i++) {
    const ff_robot_visual *visual = &def->visuals[i];
    int mesh = -1;
    if (visual->link != link) {
      continue;
    }
    if (visual->mesh) {
      ff_status status = ff_page_add_mesh(&mesh, page, visual->file);
      if (status == FF_ERROR_MEMORY) {
        return status;
      }
      if (mesh < 0) {
        missing++;
        continue;
      }
    }
    ff_text_put(text, first ? "" : ",");
    page_add_visual(text, visual, mesh);
    first = false;
  }
  ff_text_put(text, "]");
  if (missing > 0) {
    ff_text_json_member_number(text, "missing", missing);
  }
  return FF_OK;
}

/* The robot of a body, NULL: none. */
static const ff_scene_robot *page_robot_of(const ff_scene *scene, int body) {
  for (int i = 0; i < scene->robot_count; i++) {
    const ff_scene_robot *robot = &scene->robots[i];
    if (body >= robot->first_body && body < robot->first_body + robot->def.link_count) {
      return robot;
    }
  }
  return NULL;
}

/* Link of a robot: whose it is, what it hangs on, what it looks like. */
static ff_status page_add_link(ff_page *page, ff_text *text, const ff_scene_robot *robot,
                               int body) {
  const ff_link_def *link = &robot->def.links[body - robot->first_body].def;
  ff_text_json_member(text, "robot", robot->def.name);
  ff_text_json_member(text, "joint", ff_joint_kind_name(link->joint.kind));
  if (link->parent > 0) {
    ff_text_json_member_number(text, "parent", robot->first_body + link->parent - 1);
  }
  const double com[] = {link->com.x, link->com.y, link->com.z};
  ff_text_json_key(text, "com");
  ff_text_json_numbers(text, com, 3);
  return page_add_visuals(page, text, &robot->def, body - robot->first_body + 1);
}

static ff_status page_add_body(ff_page *page, ff_text *text, const ff_scene *scene, int i) {
  static const char *const kinds[] = {[FF_BODY_FREE] = "free",
                                      [FF_BODY_FIXED] = "fixed",
                                      [FF_BODY_PRESCRIBED] = "prescribed",
                                      [FF_BODY_LINK] = "link"};
  const ff_body_def *body = &scene->bodies[i];
  const ff_scene_robot *robot = body->kind == FF_BODY_LINK ? page_robot_of(scene, i) : NULL;
  ff_text_put(text, i ? ",{" : "{");
  ff_text_json_member(text, "name", body->name);
  ff_text_json_member(text, "kind", kinds[body->kind]);
  if (body->colour) {
    ff_text_json_member(text, "colour", body->colour);
  }
  page_add_pose(text, body->position, body->orientation);
  ff_status status = robot ? page_add_link(page, text, robot, i) : FF_OK;
  page_add_shapes(text, scene, i + 1);
  ff_text_put(text, "}");
  return status;
}

ff_status ff_page_add_bodies(ff_page *page, ff_text *text, const ff_scene *scene) {
  ff_status status = FF_OK;
  ff_text_json_key(text, "bodies");
  ff_text_put(text, "[");
  for (int i = 0; status == FF_OK && i < scene->body_count; i++) {
    status = page_add_body(page, text, scene, i);
  }
  ff_text_put(text, "]");
  return status;
}

/* ---- constraints ----------------------------------------------------------------------------- */

/* From the principal frame to the user's body frame. */
static void page_add_anchor(ff_text *text, const char *key, const ff_model_body *body,
                            ff_vec3 anchor) {
  ff_vec3 p = pose_point(body->frame, anchor);
  ff_text_json_key(text, key);
  ff_text_json_numbers(text, (const double[]){p.x, p.y, p.z}, 3);
}

void ff_page_add_constraints(ff_text *text, const ff_model *model) {
  ff_text_json_key(text, "constraints");
  ff_text_put(text, "[");
  for (int i = 0; i < model->constraint_count; i++) {
    const ff_model_constraint *c = &model->constraints[i];
    const ff_model_body *a = &model->bodies[c->a], *b = &model->bodies[c->b];
    ff_text_put(text, i ? ",{" : "{");
    ff_text_json_member(text, "name", c->name);
    ff_text_json_member(text, "kind", ff_constraint_kind_name(c->kind));
    ff_text_json_member(text, "a", a->name);
    ff_text_json_member(text, "b", b->name);
    page_add_anchor(text, "anchor_a", a, c->anchor_a);
    page_add_anchor(text, "anchor_b", b, c->anchor_b);
    if (c->kind == FF_CONSTRAINT_HINGE) {
      ff_vec3 axis = q_rotate(a->frame.orientation, c->of_a[0]);
      ff_text_json_key(text, "axis");
      ff_text_json_numbers(text, (const double[]){axis.x, axis.y, axis.z}, 3);
    }
    ff_text_put(text, "}");
  }
  ff_text_put(text, "]");
}

/* ---- look ------------------------------------------------------------------------------------ */

static void page_add_view(ff_text *text, const ff_scene_view *view) {
  ff_text_put(text, "{");
  ff_text_json_member(text, "name", view->name);
  ff_text_json_key(text, "from");
  ff_text_json_numbers(text, (const double[]){view->from.x, view->from.y, view->from.z}, 3);
  if (isfinite(view->at.x)) {
    ff_text_json_key(text, "at");
    ff_text_json_numbers(text, (const double[]){view->at.x, view->at.y, view->at.z}, 3);
  }
  if (isfinite(view->width)) {
    ff_text_json_member_number(text, "width", view->width);
  }
  ff_text_json_member(text, "follow", view->follow);
  ff_text_put(text, "}");
}

void ff_page_add_look(ff_text *text, const ff_scene *scene) {
  const ff_scene_look *look = &scene->look;
  ff_text_json_key(text, "panels");
  ff_text_put(text, "[");
  for (int i = 0; i < look->panel_count; i++) {
    const ff_scene_panel *panel = &look->panels[i];
    ff_text_put(text, i ? ",{" : "{");
    ff_text_json_member(text, "title", panel->title);
    ff_text_json_member(text, "x", panel->x);
    ff_text_json_key(text, "y");
    ff_text_json_strings(text, panel->y, panel->y_count);
    ff_text_put(text, "}");
  }
  ff_text_put(text, "]");
  ff_text_json_key(text, "views");
  ff_text_put(text, "[");
  for (int i = 0; i < look->view_count; i++) {
    ff_text_put(text, i ? "," : "");
    page_add_view(text, &look->views[i]);
  }
  ff_text_put(text, "]");
  double gravity[] = {scene->run.gravity.x, scene->run.gravity.y, scene->run.gravity.z};
  ff_text_json_key(text, "gravity");
  ff_text_json_numbers(text, gravity, 3);
}
