#include "step/crowd_order.h"

#include "base/union_find.h"

#include <string.h>

ff_status ff_crowd_order_make(ff_crowd_order *out, ff_arena *arena, int contact_capacity,
                              int mover_count, int least) {
  size_t contacts = (size_t)contact_capacity, movers = (size_t)mover_count;
  *out = (ff_crowd_order){.mover_count = mover_count, .least = least};
  out->links = ff_arena_take(arena, contacts, sizeof *out->links);
  out->order = ff_arena_take(arena, contacts, sizeof *out->order);
  out->spare = ff_arena_take(arena, contacts, sizeof *out->spare);
  out->shade = ff_arena_take(arena, contacts, sizeof *out->shade);
  out->islands = ff_arena_take(arena, movers, sizeof *out->islands);
  out->colour_start = ff_arena_take(arena, 2 * contacts, sizeof *out->colour_start);
  out->parent = ff_arena_take(arena, movers, sizeof *out->parent);
  out->island_of = ff_arena_take(arena, movers, sizeof *out->island_of);
  out->mask = ff_arena_take(arena, movers, sizeof *out->mask);
  bool room = out->links && out->order && out->spare && out->shade && out->islands &&
              out->colour_start && out->parent && out->island_of && out->mask;
  return room ? FF_OK : FF_ERROR_MEMORY;
}

/* ---- islands --------------------------------------------------------------------------------- */

static void join_movers(ff_crowd_order *crowd) {
  for (int i = 0; i < crowd->mover_count; i++) {
    crowd->parent[i] = i;
    crowd->island_of[i] = -1;
    crowd->mask[i] = 0;
  }
  for (int k = 0; k < crowd->count; k++) {
    ff_crowd_link link = crowd->links[k];
    if (link.a >= 0 && link.b >= 0) {
      ff_set_unite(crowd->parent, link.a, link.b);
    }
  }
}

/* Island of each link into spare, -1 for one between bodies that do not move; their contacts are
 * counted. */
static void find_islands(ff_crowd_order *crowd) {
  crowd->island_count = 0;
  for (int k = 0; k < crowd->count; k++) {
    ff_crowd_link link = crowd->links[k];
    int mover = link.a >= 0 ? link.a : link.b;
    crowd->spare[k] = -1;
    if (mover < 0) {
      continue;
    }
    int root = ff_set_root(crowd->parent, mover);
    if (crowd->island_of[root] < 0) {
      crowd->island_of[root] = crowd->island_count;
      crowd->islands[crowd->island_count++] = (ff_crowd_island){.colours = -1};
    }
    ff_crowd_island *island = &crowd->islands[crowd->island_of[root]];
    island->count++;
    island->apart = island->apart || link.apart;
    crowd->spare[k] = crowd->island_of[root];
  }
}

/* Sorts the links of large islands by island, the rest after them in the order of the list. */
static void sort_by_island(ff_crowd_order *crowd) {
  int at = 0;
  for (int i = 0; i < crowd->island_count; i++) {
    ff_crowd_island *island = &crowd->islands[i];
    if (island->count >= crowd->least && !island->apart) {
      island->colours = 0;
      island->first = at;
      at += island->count;
      island->count = 0;
    }
  }
  crowd->large_count = at;
  for (int k = 0; k < crowd->count; k++) {
    ff_crowd_island *island = crowd->spare[k] >= 0 ? &crowd->islands[crowd->spare[k]] : NULL;
    if (island && island->colours >= 0) {
      crowd->order[island->first + island->count++] = k;
    } else {
      crowd->order[at++] = k;
    }
  }
}

/* ---- colours --------------------------------------------------------------------------------- */

/* Lowest colour that no contact of the movers has, or the last. */
static int choose_colour(ff_crowd_order *crowd, ff_crowd_link link) {
  const int last = FF_CROWD_COLOURS - 1;
  uint64_t used = (link.a >= 0 ? crowd->mask[link.a] : 0) | (link.b >= 0 ? crowd->mask[link.b] : 0);
  int colour = 0;
  while (colour < last && (used >> colour & 1)) {
    colour++;
  }
  for (int s = 0; s < 2; s++) {
    int mover = s == 0 ? link.a : link.b;
    if (mover >= 0) {
      crowd->mask[mover] |= (uint64_t)1 << colour;
    }
  }
  return colour;
}

/* Sorts an island by colour. Its starts go to this place of colour_start; returns the next place.
 */
static int colour_island(ff_crowd_order *crowd, ff_crowd_island *island, int place) {
  int *order = crowd->order + island->first, *start = crowd->colour_start + place;
  int next[FF_CROWD_COLOURS + 1] = {0}, used = 0;
  for (int k = 0; k < island->count; k++) {
    int colour = choose_colour(crowd, crowd->links[order[k]]);
    crowd->shade[k] = (unsigned char)colour;
    next[colour + 1]++;
    used = colour >= used ? colour + 1 : used;
  }
  for (int c = 0; c < used; c++) {
    next[c + 1] += next[c];
    start[c] = next[c];
  }
  start[used] = island->count;
  for (int k = 0; k < island->count; k++) {
    crowd->spare[next[crowd->shade[k]]++] = order[k];
  }
  memcpy(order, crowd->spare, (size_t)island->count * sizeof *order);
  island->colours = place;
  return place + used + 1;
}

void ff_crowd_sort(ff_crowd_order *crowd) {
  if (crowd->count < crowd->least) {
    crowd->island_count = crowd->large_count = 0;
    for (int k = 0; k < crowd->count; k++) {
      crowd->order[k] = k;
    }
    return;
  }
  join_movers(crowd);
  find_islands(crowd);
  sort_by_island(crowd);
  int place = 0;
  for (int i = 0; i < crowd->island_count; i++) {
    if (crowd->islands[i].colours >= 0) {
      place = colour_island(crowd, &crowd->islands[i], place);
    }
  }
}
