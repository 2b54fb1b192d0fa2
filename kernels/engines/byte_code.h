/* 8-bit quantized values, and their conversion to and from q - zero_point. */
#ifndef ET_KERNELS_ENGINES_BYTE_CODE_H_
#define ET_KERNELS_ENGINES_BYTE_CODE_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"

/* Zero point and limits of quantized results, int8 or uint8. */
typedef struct et_byte_range {
  int32_t zero_point;
  int32_t low;
  int32_t high;
} et_byte_range;

/* How to compute q - zero_point. uint8 values are mapped to int8 first: `flip`
 * is 128 and 128 is subtracted from the zero point. For int8, `flip` is 0. */
typedef struct et_byte_reading {
  uint8_t flip;
  int16_t zero_point;
} et_byte_reading;

et_byte_reading et_byte_reading_of(et_scalar_type dtype, int64_t zero_point);

static inline int16_t et_byte_step(et_byte_reading by, uint8_t code) {
  return (int16_t)((int8_t)(code ^ by.flip) - by.zero_point);
}

/* Computes q - zero_point of `count` values that are `step` apart. */
void et_byte_steps(et_byte_reading by, const uint8_t *codes, ptrdiff_t step,
                   size_t count, int16_t *out);

/* Quantizes a real value that was divided by the scale. Rounds half to even and
 * clamps to the range. NaN becomes the lowest value. */
static inline uint8_t et_byte_code(float steps, const et_byte_range *range) {
  const float low = (float)(range->low - range->zero_point);
  const float high = (float)(range->high - range->zero_point);
  const float above = steps > low ? steps : low;
  const float within = above < high ? above : high;
  /* 1.5 * 2^23: floats of this size are 1 apart, so the addition rounds to an
   * integer. */
  const float shift = 12582912.0f;
  return (uint8_t)((int32_t)((within + shift) - shift) + range->zero_point);
}

#endif /* ET_KERNELS_ENGINES_BYTE_CODE_H_ */
