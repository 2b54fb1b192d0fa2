#include "backends/xnnpack/runtime/quantized_sums.h"

/* Maximum number of 8-byte words whose byte pairs can be added in 16-bit lanes: 128 * 2 *
 * 255 < 65536. */
#define WORDS_AT_ONCE 128
/* XOR mask that converts int8 to uint8 with zero point 128. */
#define ZEROS UINT64_C(0x8080808080808080)

static int32_t sum_of_words(const uint8_t *bytes, size_t words) {
  uint64_t pairs = 0;
  for (size_t i = 0; i < words; i++) {
    uint64_t word = 0;
    memcpy(&word, bytes + i * sizeof word, sizeof word);
    word ^= ZEROS;
    pairs += (word & ET_XNN_EVEN_BYTES) + (word >> 8 & ET_XNN_EVEN_BYTES);
  }
  const uint64_t fours = (pairs & UINT64_C(0xffff0000ffff)) +
                         (pairs >> 16 & UINT64_C(0xffff0000ffff));
  return (int32_t)(fours & UINT32_MAX) + (int32_t)(fours >> 32);
}

int32_t et_xnn_sum_of_int8(const uint8_t *bytes, size_t count) {
  int32_t sum = 0;
  size_t at = 0;
  while (count - at >= sizeof(uint64_t)) {
    const size_t left = (count - at) / sizeof(uint64_t);
    const size_t words = left < WORDS_AT_ONCE ? left : WORDS_AT_ONCE;
    sum += sum_of_words(bytes + at, words);
    at += words * sizeof(uint64_t);
  }
  sum -= 128 * (int32_t)at;
  for (; at < count; at++) {
    sum += (int8_t)bytes[at];
  }
  return sum;
}
