/* Source locations of a scene: hash table from keys to file, line and column. */
#include "base/memory.h"
#include "model/scene.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* FNV-1a. */
static size_t place_hash_key(const char *key, size_t size) {
  uint64_t hash = 14695981039346656037ULL;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ (unsigned char)key[i]) * 1099511628211ULL;
  }
  return (size_t)(hash ^ hash >> 32);
}

/* Slot that holds the key, or the empty one for it. Needs at least one empty slot. */
static ff_place *place_find_slot(ff_place *slots, int capacity, const char *key, size_t size) {
  size_t mask = (size_t)capacity - 1;
  for (size_t i = place_hash_key(key, size) & mask;; i = (i + 1) & mask) {
    const char *held = slots[i].key;
    if (!held || (!strncmp(held, key, size) && !held[size])) {
      return &slots[i];
    }
  }
}

/* Keeps at least a third of the slots empty. */
static bool place_reserve(ff_scene *scene) {
  if (scene->place_count + 1 <= scene->place_capacity / 3 * 2) {
    return true;
  }
  if (scene->place_capacity > INT_MAX / 2) {
    return false;
  }
  int capacity = scene->place_capacity ? 2 * scene->place_capacity : 64;
  ff_place *fresh = ff_alloc((size_t)capacity, sizeof *fresh);
  if (!fresh) {
    return false;
  }
  for (int i = 0; i < scene->place_capacity; i++) {
    const char *key = scene->places[i].key;
    if (key) {
      *place_find_slot(fresh, capacity, key, strlen(key)) = scene->places[i];
    }
  }
  ff_free(scene->places);
  scene->places = fresh;
  scene->place_capacity = capacity;
  return true;
}

ff_status ff_scene_add_place(ff_scene *scene, const char *key, const char *file, int line,
                             int column) {
  if (!place_reserve(scene)) {
    return FF_ERROR_MEMORY;
  }
  ff_place *slot = place_find_slot(scene->places, scene->place_capacity, key, strlen(key));
  if (!slot->key) {
    slot->key = ff_scene_keep_text(scene, key, strlen(key));
    if (!slot->key) {
      return FF_ERROR_MEMORY;
    }
    scene->place_count++;
  }
  slot->file = file;
  slot->line = line;
  slot->column = column;
  return FF_OK;
}

void ff_scene_locate(const ff_scene *scene, ff_report *report) {
  if (!report) {
    return;
  }
  snprintf(report->file, sizeof report->file, "%s", scene->file);
  report->line = 0;
  report->column = 0;
  size_t size = strlen(report->key);
  while (size > 0 && scene->place_count > 0) {
    const ff_place *place =
        place_find_slot(scene->places, scene->place_capacity, report->key, size);
    if (place->key) {
      snprintf(report->file, sizeof report->file, "%s", place->file);
      report->line = place->line;
      report->column = place->column;
      return;
    }
    do { /* the parent ends before the last dot */
      size--;
    } while (size > 0 && report->key[size] != '.');
  }
}
