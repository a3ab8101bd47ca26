/* Checksum of bytes: detects every change of up to 64 consecutive bits, and misses any other with
 * probability 5e-20. */
#ifndef FF_BASE_CHECKSUM_H
#define FF_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Of these bytes after others with the checksum `before` (0: none). "123456789" gives
 * 0x995DC9BBDF1939FA. */
uint64_t ff_checksum(uint64_t before, const void *bytes, size_t size);

#endif
