/* Footfall: contact dynamics with published laws and an energy ledger.
 *
 *   scene   editable description      footfall/scene.h   ff_scene_*
 *   model   compiled, immutable       footfall/sim.h     ff_model_*
 *   sim     steps, ledger, events     footfall/sim.h     ff_sim_*
 *   run     loop, recordings, resume  footfall/run.h     ff_run_*
 *   state   saved states, clones      footfall/state.h   ff_state_*, ff_sim_clone
 *   batch   many sims on threads      footfall/batch.h   ff_batch_*, ff_sim_x
 *   stepper time steppers             footfall/stepper.h ff_stepper_*
 *   law     contact and friction      footfall/law.h     ff_law_*
 *   impact  closed-form impacts       footfall/impact.h  ff_impact_*
 *   tree    articulated bodies        footfall/tree.h    ff_tree_*
 *   robot   URDF                      footfall/robot.h   ff_robot_*
 *   walk    walking patterns          footfall/walk.h    ff_walk_*, ff_preview_*
 *   controller   balance and motion tasks  footfall/controller.h   ff_controller_*
 *   ncp     complementarity problems  footfall/ncp.h     ff_ncp_*
 *   qp      quadratic programmes      footfall/qp.h      ff_qp_*
 *   io      scenes and recordings     footfall/io.h      ff_scene_load, ff_recorder_*
 *   study   sweeps over a scene's values  footfall/study.h  ff_study_*
 *   volume  overlap with half-space   footfall/volume.h  ff_volume_*
 *   page    reports: one HTML file    footfall/page.h    ff_page_*
 *   status  status codes, reports     footfall/status.h  ff_status, ff_report
 *
 * A run in six calls:
 *
 *   ff_scene_load(&scene, "scenes/bouncing-ball.yaml", NULL, 0, &report);
 *   ff_model_build(&model, scene, &report);
 *   ff_sim_create(&sim, model);
 *   ff_sim_advance(sim, 1.0);
 *   ff_body_state ball = ff_sim_body(sim, ff_model_body_find(model, "ball"));
 *   ff_energy energy = ff_sim_energy(sim);
 */
#ifndef FOOTFALL_H
#define FOOTFALL_H

#include "footfall/api.h"
#include "footfall/batch.h"
#include "footfall/controller.h"
#include "footfall/fit.h"
#include "footfall/impact.h"
#include "footfall/io.h"
#include "footfall/law.h"
#include "footfall/ncp.h"
#include "footfall/page.h"
#include "footfall/qp.h"
#include "footfall/robot.h"
#include "footfall/run.h"
#include "footfall/scene.h"
#include "footfall/sim.h"
#include "footfall/state.h"
#include "footfall/status.h"
#include "footfall/stepper.h"
#include "footfall/study.h"
#include "footfall/tree.h"
#include "footfall/types.h"
#include "footfall/validate.h"
#include "footfall/volume.h"
#include "footfall/walk.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
FF_API const char *ff_version(void);

#ifdef __cplusplus
}
#endif
#endif
