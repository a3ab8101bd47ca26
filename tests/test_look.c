/* What robots and scenes look like: visuals, materials, faces of meshes, colours, panels, views. */
#include "folder.h"

#include "base/file.h"
#include "base/memory.h"
#include "footfall/page.h"
#include "footfall/robot.h"
#include "io/mesh.h"
#include "io/page.h"
#include "model/scene.h"

static int leave_folder(void **state) {
  (void)state;
  ff_alloc_fail_at(0);
  return system("rm -rf ./*") == 0 ? remove_folder() : -1;
}

static void put(const char *name, const char *text) {
  FILE *file = fopen(name, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
  fclose(file);
}

/* ---- visuals --------------------------------------------------------------------------------- */

static const char robot_text[] =
    "<robot name='r'>\n"
    "<material name='steel'><color rgba='0.5 0.5 0.6 1'/></material>\n"
    "<link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>\n"
    "  <visual><origin xyz='0 0 1'/><geometry><box size='2 4 6'/></geometry>\n"
    "    <material name='steel'/></visual>\n"
    "  <visual><geometry><sphere radius='0'/></geometry></visual>\n"
    "  <visual><geometry><mesh filename='cube.obj' scale='2 2 2'/></geometry>\n"
    "    <material name='paint'><color rgba='1 0 0 0.5'/></material></visual>\n"
    "  <visual><geometry><mesh filename='absent.stl'/></geometry><material "
    "name='paint'/></visual>\n"
    "  <visual><geometry><cylinder radius='1' length='3'/></geometry>\n"
    "    <material name=''><color rgba='1 red 0'/></material></visual>\n"
    "  <collision><geometry><sphere radius='1'/></geometry></collision>\n"
    "</link></robot>\n";

static const char cube_obj[] = "mtllib cube.mtl\n"
                               "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\n"
                               "usemtl red\nf 1/1/1 2/2/1 3/3/1 4/4/1\n"
                               "usemtl none\nf -5 -4 -1\n";

static void visuals_have_shapes_colours_and_meshes(void **state) {
  (void)state;
  put("cube.obj", cube_obj);
  put("robot.urdf", robot_text);
  ff_robot *robot;
  ff_report report = {0};
  assert_int_equal(ff_robot_load(&robot, "robot.urdf", NULL, &report), FF_OK);
  assert_int_equal(ff_robot_visual_count(robot), 4); /* a sphere of no size is not seen */
  assert_int_equal(ff_robot_shape_count(robot), 1);
  ff_robot_visual box = ff_robot_visual_info(robot, 0), mesh = ff_robot_visual_info(robot, 1),
                  absent = ff_robot_visual_info(robot, 2), bare = ff_robot_visual_info(robot, 3);
  assert_int_equal(box.link, 1);
  assert_int_equal(box.kind, FF_BOX);
  assert_close(box.size.z, 3, 0);
  assert_close(box.pose.position.z, 1, 0);
  assert_true(box.colour.given);
  assert_close(box.colour.rgba[2], 0.6, 0);
  assert_true(mesh.mesh);
  assert_non_null(strstr(mesh.file, "cube.obj"));
  assert_close(mesh.scale.x, 2, 0);
  assert_close(mesh.colour.rgba[3], 0.5, 0);
  assert_string_equal(absent.file, ""); /* told in the report, not an error */
  assert_close(absent.colour.rgba[0], 1, 0);
  assert_false(bare.colour.given);
  assert_int_equal(ff_robot_note_count(robot), 1); /* the colour that cannot be read */
  assert_non_null(strstr(ff_robot_note(robot, 0), "rgba"));
  assert_string_equal(ff_robot_visual_info(robot, 9).file, "");
  ff_robot_destroy(&robot);
}

/* ---- faces of meshes ------------------------------------------------------------------------- */

static void faces_of_obj_have_the_colours_of_their_materials(void **state) {
  (void)state;
  put("cube.obj", cube_obj);
  put("cube.mtl", "newmtl red\nKd 0.9 0.1 0.2\nnewmtl other\nKd 0 0 0\n");
  ff_mesh mesh = {.with_faces = true};
  assert_int_equal(ff_mesh_read(&mesh, "cube.obj", NULL), FF_OK);
  assert_int_equal(mesh.count, 5);
  assert_int_equal(mesh.face_count, 3); /* a square, and a triangle counted from the end */
  assert_int_equal(mesh.faces[1].corner[2], 3);
  assert_close((double)mesh.faces[1].rgba[0], 0.9, 1e-6);
  assert_int_equal(mesh.faces[2].corner[0], 0);
  assert_int_equal(mesh.faces[2].corner[2], 4);
  assert_true(mesh.faces[2].rgba[3] < 0);
  ff_mesh_free(&mesh);
}

static void faces_that_name_no_point_are_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"f 1 2 9\n", "f 1 2 -9\n", "f 1 x 3\n", "f 0 1 2\n"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[200];
    ff_report report = {0};
    ff_mesh mesh = {.with_faces = true};
    snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\n%s", wrong[i]);
    put("bad.obj", text);
    assert_int_equal(ff_mesh_read(&mesh, "bad.obj", &report), FF_ERROR_INPUT);
    assert_non_null(strstr(report.what, "triangle 1"));
    ff_mesh_free(&mesh);
  }
}

static const char dae_text[] =
    "<COLLADA><library_effects><effect id='blue-fx'><profile_COMMON><technique><phong><diffuse>"
    "<color>0.1 0.2 0.8 1</color></diffuse></phong></technique></profile_COMMON></effect>"
    "</library_effects><library_materials><material id='blue'><instance_effect url='#blue-fx'/>"
    "</material></library_materials><library_geometries><geometry id='g'><mesh>"
    "<source id='p'><float_array>0 0 0 1 0 0 1 1 0 0 1 0 0 0 1</float_array></source>"
    "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
    "<polylist material='paint'><input semantic='VERTEX' source='#v' offset='1'/>"
    "<input semantic='NORMAL' source='#n' offset='0'/><vcount>4 3</vcount>"
    "<p>0 0 0 1 0 2 0 3 0 0 0 1 0 4</p></polylist>"
    "<triangles><input semantic='VERTEX' source='#v' offset='0'/><p>0 1 4 1 2 4</p></triangles>"
    "</mesh></geometry></library_geometries><library_visual_scenes><visual_scene><node>"
    "<instance_geometry url='#g'><bind_material><technique_common>"
    "<instance_material symbol='paint' target='#blue'/></technique_common></bind_material>"
    "</instance_geometry></node></visual_scene></library_visual_scenes></COLLADA>";

static void faces_of_collada_have_the_colours_that_nodes_bind(void **state) {
  (void)state;
  put("part.dae", dae_text);
  ff_mesh mesh = {.with_faces = true}, points = {0};
  ff_report report = {0};
  assert_int_equal(ff_mesh_read(&mesh, "part.dae", &report), FF_OK);
  assert_int_equal(mesh.face_count, 5);
  assert_int_equal(mesh.faces[1].corner[2], 3);
  assert_close((double)mesh.faces[2].rgba[2], 0.8, 1e-6);
  assert_true(mesh.faces[3].rgba[3] < 0);
  assert_int_equal(mesh.faces[4].corner[1], 2);
  assert_int_equal(ff_mesh_read(&points, "part.dae", NULL), FF_OK);
  assert_int_equal(points.face_count, 0);
  assert_int_equal(points.count, mesh.count);
  ff_mesh_free(&mesh);
  ff_mesh_free(&points);
}

/* ---- scenes ---------------------------------------------------------------------------------- */

static const char scene_text[] = "footfall: 1\n"
                                 "bodies:\n"
                                 "  ball: {mass: 1, shape: {sphere: {radius: 0.1}}, colour: red}\n"
                                 "robots:\n"
                                 "  r: {urdf: robot.urdf, colour: \"#12ab9F\"}\n"
                                 "report:\n"
                                 "  panels:\n"
                                 "    - body.ball.position.z\n"
                                 "    - [energy.kinetic, \"energy.lost.*\"]\n"
                                 "    - {title: Phase, x: body.ball.position.z, y: [a, b]}\n"
                                 "  views:\n"
                                 "    near: {from: [1, 0, 0], at: [0, 0, 1], width: 2, follow: r}\n"
                                 "    far: {}\n";

static void scenes_name_colours_panels_and_views(void **state) {
  (void)state;
  put("cube.obj", cube_obj);
  put("robot.urdf", robot_text);
  put("s.yaml", scene_text);
  ff_scene *scene;
  ff_report report = {0};
  assert_int_equal(ff_scene_load(&scene, "s.yaml", NULL, 0, &report), FF_OK);
  assert_string_equal(scene->bodies[0].colour, "red");
  assert_string_equal(scene->bodies[1].colour, "#12ab9F");
  const ff_scene_look *look = &scene->look;
  assert_int_equal(look->panel_count, 3);
  assert_string_equal(look->panels[0].x, "time");
  assert_string_equal(look->panels[1].y[1], "energy.lost.*");
  assert_string_equal(look->panels[2].title, "Phase");
  assert_int_equal(look->panels[2].y_count, 2);
  assert_int_equal(look->view_count, 2);
  assert_string_equal(look->views[0].follow, "r");
  assert_close(look->views[0].width, 2, 0);
  assert_true(isnan(look->views[1].at.x));
  ff_scene_destroy(&scene);
}

static ff_status add_page(ff_page *page) {
  static const char *const names[] = {"time"};
  static const char *const units[] = {"s"};
  ff_recording_info info = {.scene = scene_text,
                            .summary = "",
                            .names = names,
                            .units = units,
                            .count = 1,
                            .file = "s.yaml"};
  ff_recorder *recorder;
  ff_recording *recording;
  assert_int_equal(ff_recorder_create(&recorder, "run.h5", &info, NULL), FF_OK);
  assert_int_equal(ff_recorder_add(recorder, (double[]){0}), FF_OK);
  assert_int_equal(ff_recorder_close(&recorder, "{}", NULL), FF_OK);
  assert_int_equal(ff_recording_open(&recording, "run.h5", NULL), FF_OK);
  ff_status status = ff_page_show_run(page, recording);
  ff_recording_close(&recording);
  return status;
}

static void pages_hold_each_mesh_once_and_say_what_is_missing(void **state) {
  (void)state;
  put("cube.obj", cube_obj);
  put("robot.urdf", robot_text);
  ff_page *page;
  assert_int_equal(ff_page_create(&page, "t"), FF_OK);
  assert_int_equal(add_page(page), FF_OK);
  assert_int_equal(add_page(page), FF_OK);
  ff_text_add(&page->meshes, "", 1);
  ff_text_add(&page->recordings, "", 1);
  assert_non_null(strstr(page->meshes.bytes, "{\"points\":5,\"low\":[0,0,0],\"high\":[1,1,1],"
                                             "\"parts\":[{\"triangles\":3}]}"));
  assert_int_equal(page->mesh_number, 1);
  assert_non_null(strstr(page->recordings.bytes, "\"mesh\":0,\"rgba\":[1,0,0,0.5]"));
  assert_non_null(strstr(page->recordings.bytes, "\"missing\":1"));
  assert_non_null(strstr(page->recordings.bytes, "\"views\":[{\"name\":\"near\",\"from\":[1,0,0]"));
  ff_page_destroy(&page);
}

/* A fine mesh is reduced, and stays in its box. */
static void large_meshes_are_reduced(void **state) {
  (void)state;
  enum { SIDE = 150 };
  FILE *file = fopen("sheet.obj", "w");
  assert_non_null(file);
  for (int i = 0; i < SIDE * SIDE; i++) {
    fprintf(file, "v %d %d %d\n", i % SIDE, i / SIDE, i % 7);
  }
  for (int i = 0; i < SIDE * (SIDE - 1) - 1; i++) {
    fprintf(file, "f %d %d %d %d\n", i + 1, i + 2, i + SIDE + 2, i + SIDE + 1);
  }
  fclose(file);
  ff_page *page;
  int number;
  assert_int_equal(ff_page_create(&page, "t"), FF_OK);
  assert_int_equal(ff_page_add_mesh(&number, page, "sheet.obj"), FF_OK);
  assert_int_equal(number, 0);
  assert_in_range(page->triangles, 4000, 16000);
  assert_int_equal(ff_page_add_mesh(&number, page, "absent.obj"), FF_OK);
  assert_int_equal(number, -1);
  ff_page_destroy(&page);
}

static void memory_that_runs_out_is_told(void **state) {
  (void)state;
  put("cube.obj", cube_obj);
  put("part.dae", dae_text);
  for (int k = 0; k < 2; k++) {
    bool done = false;
    for (long n = 1; !done; n++) {
      ff_page *page;
      int number;
      assert_int_equal(ff_page_create(&page, "t"), FF_OK);
      ff_alloc_fail_at(n);
      ff_status status = ff_page_add_mesh(&number, page, k ? "part.dae" : "cube.obj");
      ff_alloc_fail_at(0);
      done = status == FF_OK && number == 0 && !page->meshes.failed && !page->numbers.failed;
      assert_true(done || status == FF_ERROR_MEMORY || page->meshes.failed || page->numbers.failed);
      assert_true(n < 500);
      ff_page_destroy(&page);
    }
  }
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      in_folder(visuals_have_shapes_colours_and_meshes),
      in_folder(faces_of_obj_have_the_colours_of_their_materials),
      in_folder(faces_that_name_no_point_are_refused),
      in_folder(faces_of_collada_have_the_colours_that_nodes_bind),
      in_folder(scenes_name_colours_panels_and_views),
      in_folder(pages_hold_each_mesh_once_and_say_what_is_missing),
      in_folder(large_meshes_are_reduced),
      in_folder(memory_that_runs_out_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
