/* Seams: faces of a box that flush boxes beside it cover, so that no other body can touch them.
 *
 * A floor of tiles or a wall of blocks is to feel like one solid: a body that slides over a seam is
 * neither caught by the edges there, nor carried by more samples than on one piece. The contact of
 * a shape with such a box is that with the box continued into its neighbours; of its samples the
 * box has the share of its side of the seam, which goes from 1 to 0 within `width` on both sides.
 * The shares of all neighbours sum to 1, so that forces and energies go from piece to piece
 * continuously. On half-spaces all corners touch. */
#ifndef FF_GEOM_SEAM_H
#define FF_GEOM_SEAM_H

#include "geom/manifold.h"

typedef struct ff_seam {
  bool inner[3][2];     /* of each axis: its face at -, at + is at a seam */
  ff_vec3 centre, size; /* m, of the continued box, in the frame of the box; half extents */
  double width;         /* m */
} ff_seam;

/* A pair of shapes with both of them continued beyond their seams. */
typedef struct ff_continued_pair {
  ff_geom geom[2];
  ff_pose pose[2];
  const ff_geom *a, *b; /* these, or the shapes themselves where they have no seams */
  const ff_pose *pose_a, *pose_b;
} ff_continued_pair;

static inline bool ff_pair_has_seams(const ff_geom *a, const ff_geom *b) {
  return (a->seam || b->seam) && a->kind != FF_HALF_SPACE && b->kind != FF_HALF_SPACE;
}
void ff_pair_continue(ff_continued_pair *out, const ff_geom *a, const ff_pose *pose_a,
                      const ff_geom *b, const ff_pose *pose_b);
/* Share of a shape in a sample at this point (m, world): 1 without seams. */
double ff_seam_share(const ff_geom *geom, const ff_pose *pose, ff_vec3 point);
/* From derivatives with motions of the continued shape a to those of a itself, whose origin is
 * elsewhere: columns with turns. */
void ff_continued_rates(const ff_continued_pair *pair, const ff_pose *pose_a, ff_mat3 rate[2]);

#endif
