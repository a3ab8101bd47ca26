/* Work on bodies and elements that know nothing of each other. In heaps it is shared by threads, in
 * pieces that are the same for any number of them. */
#include "base/team.h"
#include "step/quasi_rigid.h"

typedef struct work {
  ff_quasi *quasi;
  ff_quasi_part *part;
} work;

static void do_piece(void *context, int first, int end) {
  const work *of = context;
  of->part(of->quasi, first, end);
}

void ff_quasi_share(ff_quasi *quasi, ff_quasi_part *part, int count) {
  if (!ff_quasi_is_heap(quasi)) {
    part(quasi, 0, count);
    return;
  }
  work of = {quasi, part};
  ff_team_share(*quasi->team, do_piece, &of, count, FF_QUASI_PIECE);
}
