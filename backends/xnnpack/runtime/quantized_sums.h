/* Sums of consecutive quantized values. */
#ifndef BACKENDS_XNNPACK_RUNTIME_QUANTIZED_SUMS_H_
#define BACKENDS_XNNPACK_RUNTIME_QUANTIZED_SUMS_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns the sum of `count` int8 values. */
int32_t et_xnn_sum_of_int8(const uint8_t *bytes, size_t count);

/* Maximum number of 8-byte words whose nibbles can be added in bytes: 8 * 2 * 15 < 256. */
#define ET_XNN_NIBBLE_WORDS 8
#define ET_XNN_NIBBLES UINT64_C(0x0f0f0f0f0f0f0f0f)
#define ET_XNN_EVEN_BYTES UINT64_C(0x00ff00ff00ff00ff)

/* Returns the sum of the nibbles of up to ET_XNN_NIBBLE_WORDS words. */
static inline int32_t et_xnn_sum_of_nibble_words(const uint8_t *bytes,
                                                 size_t words) {
  uint64_t sums = 0;
  for (size_t i = 0; i < words; i++) {
    uint64_t word = 0;
    memcpy(&word, bytes + i * sizeof word, sizeof word);
    sums += (word & ET_XNN_NIBBLES) + (word >> 4 & ET_XNN_NIBBLES);
  }
  sums = (sums & ET_XNN_EVEN_BYTES) + (sums >> 8 & ET_XNN_EVEN_BYTES);
  return (int32_t)(sums * UINT64_C(0x0001000100010001) >> 48);
}

/* Returns the sum of `count` 4-bit values with a zero point of 8, two per byte. `count` is even.
 * The function is inline because groups are short. */
static inline int32_t et_xnn_sum_of_nibbles(const uint8_t *bytes,
                                            size_t count) {
  int32_t sum = -8 * (int32_t)count;
  size_t left = count / 2;
  while (left >= sizeof(uint64_t)) {
    const size_t whole = left / sizeof(uint64_t);
    const size_t words =
        whole < ET_XNN_NIBBLE_WORDS ? whole : ET_XNN_NIBBLE_WORDS;
    sum += et_xnn_sum_of_nibble_words(bytes, words);
    bytes += words * sizeof(uint64_t);
    left -= words * sizeof(uint64_t);
  }
  for (; left > 0; left--, bytes++) {
    sum += (*bytes & 15) + (*bytes >> 4);
  }
  return sum;
}

#endif /* BACKENDS_XNNPACK_RUNTIME_QUANTIZED_SUMS_H_ */
