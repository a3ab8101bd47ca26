/* Checkpoints: a run in a file, to go on from it in another process.
 *
 * Mark and version, then scene, files that it was read from (by checksum), outputs, counts, events,
 * state and sampler; a checksum of all at the end. */
#include "base/checksum.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/report.h"
#include "footfall/footfall.h"
#include "run/run.h"
#include "sim/sampler.h"

#include <stdio.h>
#include <string.h>

enum { CHECKPOINT_VERSION = 1 };
static const char checkpoint_mark[8] = "ffckpt";
static const size_t checkpoint_bytes_max = (size_t)1 << (sizeof(size_t) > 4 ? 40 : 31),
                    robot_bytes_max = (size_t)1 << 31;

/* Bytes that are packed, or unpacked. */
typedef struct parcel {
  unsigned char *bytes;
  size_t used, size;
  ff_status status;
} parcel;

/* ---- packing --------------------------------------------------------------------------------- */

static unsigned char *parcel_reserve(parcel *p, size_t size) {
  if (p->status == FF_OK && size > p->size - p->used) {
    size_t larger = 2 * (p->used + size) + 4096;
    unsigned char *grown = ff_resize(p->bytes, p->size, larger, 1);
    if (grown) {
      p->bytes = grown;
      p->size = larger;
    } else {
      p->status = FF_ERROR_MEMORY;
    }
  }
  if (p->status != FF_OK) {
    return NULL;
  }
  p->used += size;
  return p->bytes + p->used - size;
}

static void put_bytes(parcel *p, const void *bytes, size_t size) {
  unsigned char *to = parcel_reserve(p, size);
  if (to && size > 0) {
    memcpy(to, bytes, size);
  }
}

static void put_number(parcel *p, uint64_t number) {
  put_bytes(p, &number, sizeof number);
}

static void put_text(parcel *p, const char *text) {
  put_number(p, strlen(text));
  put_bytes(p, text, strlen(text) + 1);
}

static void put_state(parcel *p, const ff_run *run) {
  ff_state *state;
  p->status = p->status == FF_OK ? ff_state_create(&state, run->sim) : p->status;
  if (p->status != FF_OK) {
    return;
  }
  size_t size = ff_state_serialise(state, NULL, 0);
  put_number(p, size);
  unsigned char *to = parcel_reserve(p, size);
  if (to) {
    ff_state_serialise(state, to, size);
  }
  ff_state_destroy(&state);
}

static void put_sampler(parcel *p, const ff_run *run) {
  ff_keep keep = {.mode = FF_KEEP_SAVE};
  ff_sampler_keep(run->sampler, &keep);
  put_number(p, keep.used);
  keep =
      (ff_keep){.mode = FF_KEEP_SAVE, .capacity = keep.used, .data = parcel_reserve(p, keep.used)};
  if (keep.data) {
    ff_sampler_keep(run->sampler, &keep);
  }
}

/* Checksum of a file as it is now. */
static ff_status file_checksum(const char *path, uint64_t *sum, ff_report *report) {
  char *text;
  size_t size;
  ff_status status = ff_file_read(&text, &size, path, robot_bytes_max, report);
  if (status == FF_OK) {
    *sum = ff_checksum(0, text, size);
    ff_free(text);
  }
  return status;
}

/* Robots and meshes; the scene's own text is inside. */
static void put_files(parcel *p, const ff_run *run, ff_report *report) {
  int count = ff_scene_read_count(run->scene);
  put_number(p, (uint64_t)count);
  for (int i = 0; i < count && p->status == FF_OK; i++) {
    const char *path = ff_scene_read_file(run->scene, i);
    uint64_t sum = 0;
    bool scene = strcmp(path, ff_scene_file(run->scene)) == 0;
    if (!scene) {
      p->status = file_checksum(path, &sum, report);
    }
    put_text(p, scene ? "" : path);
    put_number(p, sum);
  }
}

ff_status ff_run_write_checkpoint(ff_run *run, ff_report *report) {
  parcel p = {0};
  if (run->log) {
    p.status = ff_row_log_flush(run->log);
  }
  put_bytes(&p, checkpoint_mark, sizeof checkpoint_mark);
  put_number(&p, CHECKPOINT_VERSION);
  put_text(&p, ff_version());
  put_text(&p, ff_scene_file(run->scene));
  put_text(&p, ff_scene_source(run->scene));
  put_files(&p, run, report);
  put_number(&p, (uint64_t)run->output_count);
  for (int i = 0; i < run->output_count; i++) {
    put_text(&p, run->outputs[i]);
  }
  put_number(&p, run->log ? ff_row_log_size(run->log) : 0);
  put_number(&p, (uint64_t)run->next);
  put_bytes(&p, &run->counts, sizeof run->counts);
  put_number(&p, (uint64_t)run->event_count);
  put_bytes(&p, run->events, (size_t)run->event_count * sizeof *run->events);
  put_state(&p, run);
  put_sampler(&p, run);
  put_number(&p, p.status == FF_OK ? ff_checksum(0, p.bytes, p.used) : 0);
  ff_file *file = NULL;
  ff_status status = p.status;
  status = status == FF_OK ? ff_file_create(&file, run->checkpoint, report) : status;
  if (status == FF_OK) {
    ff_file_write(file, p.bytes, p.used);
    status = ff_file_commit(file, report);
  }
  ff_free(p.bytes);
  return status;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* The next bytes; NULL: there are not as many. */
static const void *take_bytes(parcel *p, size_t size) {
  if (p->status != FF_OK || size > p->size - p->used) {
    p->status = p->status == FF_OK ? FF_ERROR_INPUT : p->status;
    return NULL;
  }
  p->used += size;
  return p->bytes + p->used - size;
}

static uint64_t take_number(parcel *p) {
  uint64_t number = 0;
  const void *from = take_bytes(p, sizeof number);
  if (from) {
    memcpy(&number, from, sizeof number);
  }
  return number;
}

static const char *take_text(parcel *p, size_t *size) {
  *size = (size_t)take_number(p);
  const char *text = *size < p->size ? take_bytes(p, *size + 1) : NULL;
  if (!text || text[*size] != 0) {
    p->status = p->status == FF_OK ? FF_ERROR_INPUT : p->status;
    return "";
  }
  return text;
}

static ff_status checkpoint_check(const parcel *p, ff_report *report) {
  uint64_t sum = 0, version = 0;
  size_t head = sizeof checkpoint_mark + sizeof version;
  if (p->size < head + sizeof sum || memcmp(p->bytes, checkpoint_mark, sizeof checkpoint_mark)) {
    return ff_report_what(report, "is not a checkpoint");
  }
  memcpy(&version, p->bytes + sizeof checkpoint_mark, sizeof version);
  if (version != CHECKPOINT_VERSION) {
    return ff_report_what(report, "is a checkpoint of another version (%llu; this one is %d)",
                          (unsigned long long)version, CHECKPOINT_VERSION);
  }
  memcpy(&sum, p->bytes + p->size - sizeof sum, sizeof sum);
  return sum == ff_checksum(0, p->bytes, p->size - sizeof sum)
             ? FF_OK
             : ff_report_what(report, "is damaged: its checksum is wrong");
}

static ff_status take_scene(ff_run *run, parcel *p, ff_report *report) {
  size_t size;
  const char *version = take_text(p, &size);
  if (p->status == FF_OK && strcmp(version, ff_version()) != 0) {
    return ff_report_what(report, "was written by footfall %.40s; this is %s", version,
                          ff_version());
  }
  const char *file = take_text(p, &size), *source = take_text(p, &size);
  if (p->status != FF_OK) {
    return p->status;
  }
  ff_status status = ff_scene_parse(&run->own_scene, source, size, file, NULL, 0, report);
  run->scene = run->own_scene;
  uint64_t count = take_number(p);
  for (uint64_t i = 0; i < count && status == FF_OK && p->status == FF_OK; i++) {
    const char *path = take_text(p, &size);
    uint64_t sum = take_number(p), now = sum;
    if (size > 0) {
      status = file_checksum(path, &now, report);
    }
    if (status == FF_OK && now != sum) {
      status =
          ff_report_what(report, "'%.300s' has changed since the checkpoint was written", path);
    }
  }
  return status == FF_OK ? p->status : status;
}

static ff_status take_outputs(ff_run *run, parcel *p) {
  size_t size;
  uint64_t count = take_number(p);
  if (p->status != FF_OK || count > p->size) {
    return FF_ERROR_INPUT;
  }
  ff_free(run->outputs);
  run->outputs = ff_alloc((size_t)count, sizeof *run->outputs);
  ff_status status = run->outputs ? FF_OK : FF_ERROR_MEMORY;
  for (uint64_t i = 0; i < count && status == FF_OK && p->status == FF_OK; i++) {
    status = ff_run_take_text(&run->outputs[i], take_text(p, &size));
    run->output_count += status == FF_OK;
  }
  return status == FF_OK ? p->status : status;
}

static ff_status take_state(ff_run *run, parcel *p, ff_report *report) {
  size_t size = (size_t)take_number(p);
  const void *bytes = take_bytes(p, size);
  ff_state *state;
  ff_status status = bytes ? ff_state_deserialise(&state, bytes, size, report) : p->status;
  if (status == FF_OK) {
    status = ff_state_restore(run->sim, state);
    ff_state_destroy(&state);
    if (status == FF_ERROR_INPUT) {
      ff_report_what(report, "does not fit its own scene: it is of another build of footfall");
    }
  }
  if (status != FF_OK) {
    return status;
  }
  size = (size_t)take_number(p);
  union {
    const void *read;
    unsigned char *bytes;
  } from = {take_bytes(p, size)}; /* a load only reads */
  ff_keep keep = {.mode = FF_KEEP_LOAD, .data = from.bytes, .capacity = size};
  if (from.read) {
    ff_sampler_keep(run->sampler, &keep);
  }
  return keep.bad || keep.used != size ? FF_ERROR_INPUT : p->status;
}

static ff_status checkpoint_unpack(ff_run *run, parcel *p, size_t *log_size, ff_report *report) {
  p->used = sizeof checkpoint_mark + sizeof(uint64_t);
  ff_status status = take_scene(run, p, report);
  status = status == FF_OK ? take_outputs(run, p) : status;
  status = status == FF_OK ? ff_run_build(run, report) : status;
  if (status != FF_OK) {
    return status;
  }
  int channels = run->counts.channels;
  *log_size = (size_t)take_number(p);
  run->next = (long)take_number(p);
  const void *counts = take_bytes(p, sizeof run->counts);
  uint64_t events = take_number(p);
  const void *list =
      events <= FF_RUN_EVENTS ? take_bytes(p, (size_t)events * sizeof *run->events) : NULL;
  if (!counts || !list) {
    return FF_ERROR_INPUT;
  }
  memcpy(&run->counts, counts, sizeof run->counts);
  run->wall_before = run->counts.wall;
  if (events > 0) {
    memcpy(run->events, list, (size_t)events * sizeof *run->events);
  }
  run->event_count = (int)events;
  status = take_state(run, p, report);
  return status == FF_OK && run->counts.channels != channels ? FF_ERROR_INPUT : status;
}

ff_status ff_run_read_checkpoint(ff_run *run, const char *path, size_t *log_size,
                                 ff_report *report) {
  char *bytes;
  ff_report own = {0};
  report = report ? report : &own;
  parcel p = {0};
  ff_status status = ff_file_read(&bytes, &p.size, path, checkpoint_bytes_max, report);
  if (status != FF_OK) {
    return status;
  }
  p.bytes = (unsigned char *)bytes;
  *report = (ff_report){0};
  status = checkpoint_check(&p, report);
  status = status == FF_OK ? checkpoint_unpack(run, &p, log_size, report) : status;
  if (status == FF_ERROR_INPUT && !report->what[0]) {
    ff_report_what(report, "is damaged");
  }
  if (status == FF_ERROR_INPUT && !report->file[0]) {
    snprintf(report->file, sizeof report->file, "%s", path);
  }
  ff_free(bytes);
  return status;
}
