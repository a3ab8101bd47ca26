#include "base/checksum.h"

/* CRC-64/XZ (ECMA-182, reflected), four bits at a time. */
uint64_t ff_checksum(uint64_t before, const void *bytes, size_t size) {
  static const uint64_t table[16] = {
      0x0000000000000000ULL, 0x7D9BA13851336649ULL, 0xFB374270A266CC92ULL, 0x86ACE348F355AADBULL,
      0x64B62BCAEBC387A1ULL, 0x192D8AF2BAF0E1E8ULL, 0x9F8169BA49A54B33ULL, 0xE21AC88218962D7AULL,
      0xC96C5795D7870F42ULL, 0xB4F7F6AD86B4690BULL, 0x325B15E575E1C3D0ULL, 0x4FC0B4DD24D2A599ULL,
      0xADDA7C5F3C4488E3ULL, 0xD041DD676D77EEAAULL, 0x56ED3E2F9E224471ULL, 0x2B769F17CF112238ULL,
  };
  const unsigned char *at = bytes;
  uint64_t crc = ~before;
  for (size_t i = 0; i < size; i++) {
    crc = table[(crc ^ at[i]) & 15] ^ (crc >> 4);
    crc = table[(crc ^ (at[i] >> 4)) & 15] ^ (crc >> 4);
  }
  return ~crc;
}
