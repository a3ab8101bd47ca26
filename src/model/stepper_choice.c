/* Choice of a stepper for a scene that names none. */
#include "model/build.h"

#include <math.h>
#include <string.h>

enum { FEW_BODIES = 10 }; /* error control of all bodies together pays up to here */

/* Does a contact rule name this normal law? */
static bool scene_uses_law(const ff_scene *scene, const char *law) {
  for (int i = 0; i < scene->contact_count; i++) {
    const char *used = scene->contacts[i].normal.law;
    if (!scene->contacts[i].off && used && strcmp(used, law) == 0) {
      return true;
    }
  }
  return false;
}

/* Are all normal laws of contact rules layers, which `quasi-rigid` solves for? */
static bool scene_has_layers_only(const ff_scene *scene) {
  for (int i = 0; i < scene->contact_count; i++) {
    const ff_contact_def *def = &scene->contacts[i];
    const ff_law *law = def->normal.law ? ff_law_find(FF_LAW_NORMAL, def->normal.law) : NULL;
    if (!def->off && (!law || !law->layer)) {
      return false;
    }
  }
  return true;
}

/* Do laws follow from materials, for a free body with faces? These are as stiff as the materials:
 * error control would follow every vibration of a crate on its corners. */
static bool scene_has_stiff_faces(const ff_scene *scene) {
  bool faces = false;
  for (int i = 0; i < scene->shape_count; i++) {
    ff_shape_kind kind = scene->shapes[i].def.kind;
    bool round = kind == FF_SPHERE || kind == FF_ELLIPSOID || kind == FF_CAPSULE ||
                 kind == FF_SUPERELLIPSOID || kind == FF_HALF_SPACE;
    faces = faces || (!round && scene->bodies[scene->shapes[i].body.id - 1].kind == FF_BODY_FREE);
  }
  return faces && scene->contact_count == 0 && !scene->run.no_default_contacts;
}

static int count_free_bodies(const ff_scene *scene) {
  int count = 0;
  for (int i = 0; i < scene->body_count; i++) {
    count += scene->bodies[i].kind == FF_BODY_FREE;
  }
  return count;
}

const char *ff_choose_stepper(const ff_scene *scene, double *step, const char **reason) {
  bool given = !isnan(*step);
  bool few = count_free_bodies(scene) <= FEW_BODIES && scene->robot_count == 0;
  const char *kind = "symplectic-euler";
  if (scene_uses_law(scene, "rigid") || scene_uses_law(scene, "membrane")) {
    kind = "micro-macro";
    *reason = "the contacts have rigid ground, which is solved for";
  } else if (scene_uses_law(scene, "quasi-rigid")) {
    kind = "quasi-rigid";
    *reason = "the contacts are layers on rigid cores, which are solved for";
  } else if (scene_has_stiff_faces(scene)) {
    kind = "quasi-rigid";
    *reason =
        "contacts follow from materials, and are stiff: implicit steps, whose length does not "
        "depend on stiffness";
  } else if (few && !given) {
    *reason = "few bodies: steps with error control, which end at every touch-down and lift-off";
    return "adaptive";
  } else if (scene_has_layers_only(scene)) {
    kind = "quasi-rigid";
    *reason = "many bodies or a robot: implicit steps, whose length does not depend on stiffness";
  } else {
    *reason = "many bodies or a robot under force laws: contacts solved at the middle of each step";
  }
  *step = given ? *step : 1e-3;
  return kind;
}
