/* Inside hulls: what making one and eroding one share. */
#ifndef FF_GEOM_HULL_PARTS_H
#define FF_GEOM_HULL_PARTS_H

#include "geom/hull.h"

/* What is wanted of a run of Qhull; freed with ff_free. */
typedef struct ff_hull_found {
  const ff_vec3 *points;
  int count;
  char *is_corner;      /* of each point; NULL: not wanted */
  int *corners, *sizes; /* of the faces, by point; NULL: not wanted */
  int corner_count, corner_room, face_count, face_room;
  int vertex_count;
} ff_hull_found;

ff_status ff_hull_find(ff_hull_found *out, ff_report *report);

/* Room for vertex_count vertices and this many faces and corners of them. */
ff_status ff_hull_room(ff_hull *to, ff_arena *arena, int face_count, int corner_count);
/* Edges of a hull whose faces are known; false: these do not close. */
bool ff_hull_edges(ff_hull *hull);

#endif
