/* Measured motion: splines, and the springs that pull free bodies along it. */
#include "base/report.h"
#include "math/vec.h"
#include "model/build.h"
#include "model/table.h"

#include <stdio.h>
#include <string.h>

ff_status ff_build_track(ff_build *build, const ff_track **out, const ff_track_def *def,
                         const char *key) {
  *out = NULL;
  if (def->poses.rows == 0) {
    return FF_OK;
  }
  ff_track *track = ff_build_take(build, 1, sizeof *track);
  size_t rows = (size_t)def->poses.rows;
  double *bends = ff_arena_take(&build->model->arena, rows * FF_TRACK_WIDTH, sizeof *bends);
  double *values = ff_arena_take(&build->model->arena, rows * (FF_TRACK_WIDTH + 1), sizeof *values);
  double *work = ff_arena_take(&build->scratch, rows, sizeof *work);
  if (!track || !bends || !values || !work) {
    return FF_ERROR_MEMORY;
  }
  const char *wrong = ff_table_check(&def->poses, FF_TRACK_WIDTH);
  if (!wrong) {
    memcpy(values, def->poses.values, rows * (FF_TRACK_WIDTH + 1) * sizeof *values);
    wrong = rows < 2                             ? "needs two rows or more"
            : !ff_track_align(values, (int)rows) ? "an orientation is zero"
                                                 : NULL;
  }
  if (wrong) {
    ff_report_what(build->report, "%s", wrong);
    ff_report_key(build->report, "%s", key);
    return FF_ERROR_INPUT;
  }
  ff_track_bends(values, (int)rows, FF_TRACK_WIDTH, bends, work);
  *track = (ff_track){{values, (int)rows, FF_TRACK_WIDTH}, bends};
  *out = track;
  return FF_OK;
}

static ff_status guide_report(ff_build *build, const char *kind, const char *name,
                              const char *what) {
  ff_report_what(build->report, "%s", what);
  ff_report_key(build->report, "%s.%.64s.track", kind, name);
  return FF_ERROR_INPUT;
}

static ff_status build_guide(ff_build *build, ff_model_guide *to, int body, const ff_track_def *def,
                             const char *kind, const char *name) {
  const double gains[] = {def->stiffness, def->damping, def->turn_stiffness, def->turn_damping};
  for (size_t i = 0; i < sizeof gains / sizeof *gains; i++) {
    if (!(gains[i] >= 0 && isfinite(gains[i]))) {
      return guide_report(build, kind, name, "stiffness and damping must be at least 0 and finite");
    }
  }
  const ff_model_body *of = &build->bodies[body];
  char key[128];
  snprintf(key, sizeof key, "%s.%.64s.track", kind, name);
  *to = (ff_model_guide){.body = body,
                         .point = q_unrotate(of->frame.orientation, v3_neg(of->frame.position)),
                         .frame = q_conj(of->frame.orientation),
                         .stiffness = def->stiffness,
                         .damping = def->damping,
                         .turn_stiffness = def->turn_stiffness,
                         .turn_damping = def->turn_damping};
  return ff_build_track(build, &to->track, def, key);
}

ff_status ff_build_guides(ff_build *build) {
  const ff_scene *scene = build->scene;
  ff_model_guide *guides =
      ff_build_take(build, scene->body_count + scene->robot_count, sizeof *guides);
  ff_status status = guides ? FF_OK : FF_ERROR_MEMORY;
  int count = 0;
  for (int i = 0; i < scene->body_count && status == FF_OK; i++) {
    const ff_body_def *def = &scene->bodies[i];
    if (def->track.poses.rows > 0 && def->kind == FF_BODY_FREE) {
      status = build_guide(build, &guides[count++], i, &def->track, "bodies", def->name);
    }
  }
  for (int i = 0; i < scene->robot_count && status == FF_OK; i++) {
    const ff_robot_def *def = &scene->robots[i].def;
    bool pulls = def->track.stiffness > 0;
    if (def->track.poses.rows == 0 || (def->root != FF_JOINT_FREE && !pulls)) {
      continue; /* what is fixed to a track follows it rigidly */
    }
    if (def->root != FF_JOINT_FREE) {
      status = guide_report(build, "robots", def->name,
                            "a spring needs a robot with a free root; without spring a fixed root "
                            "follows the track rigidly");
    } else if (!pulls) { /* nothing would hold the root on the track */
      status = guide_report(build, "robots", def->name,
                            "needs a spring with a stiffness greater than 0, which pulls a free "
                            "root along the track, or base: fixed, which follows it rigidly");
    } else {
      status = build_guide(build, &guides[count++], scene->robots[i].first_body, &def->track,
                           "robots", def->name);
    }
  }
  build->model->guides = guides;
  build->model->guide_count = count;
  return status;
}
