/* A stranger's program: uses what is installed, and nothing else. */
#include <footfall/footfall.h>
#include <stdio.h>

int main(void) {
  ff_scene *scene = NULL;
  ff_status status = ff_scene_create(&scene);
  printf("%s\n", ff_status_text(status));
  ff_scene_destroy(scene);
  return status == FF_OK ? 0 : 1;
}
