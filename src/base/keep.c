#include "base/keep.h"

#include <string.h>

/* Blocks start at multiples of this many bytes, so that numbers are aligned. */
enum { KEEP_ALIGN = 8 };

void ff_keep_any(ff_keep *keep, const char *name, void *memory, size_t count, size_t size,
                 ff_keep_kind kind) {
  size_t bytes = count * size, at = keep->used;
  size_t next = at + (bytes + KEEP_ALIGN - 1) / KEEP_ALIGN * KEEP_ALIGN;
  if (bytes == 0) {
    return;
  }
  if (keep->mode == FF_KEEP_LOAD) {
    keep->bad = keep->bad || next > keep->capacity;
    if (!keep->bad) {
      memcpy(memory, keep->data + at, bytes);
      keep->used = next;
    }
    return;
  }
  if (next <= keep->capacity) {
    memcpy(keep->data + at, memory, bytes);
    memset(keep->data + at + bytes, 0, next - at - bytes);
  }
  if (keep->part_count < keep->part_capacity) {
    keep->parts[keep->part_count] = (ff_keep_part){name, at, count, size, kind};
  }
  keep->part_count++;
  keep->used = next;
}

void ff_keep_count(ff_keep *keep, const char *name, int *count, int most) {
  int value = *count;
  ff_keep_any(keep, name, &value, 1, sizeof value, FF_KEEP_INTS);
  if (value < 0 || value > most) {
    keep->bad = true;
  } else {
    *count = value;
  }
}
