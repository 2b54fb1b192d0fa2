/* Quantized addition of dense rows of int8 or uint8 values, in fixed point.
 *
 * Elements are widened to int32. A tile is one vector of int32; the last one may be partial. The
 * arithmetic uses integers only, so every instruction set gives the same values. The bottleneck is
 * the conversion between int8 and int32, not memory bandwidth. */
#ifndef BACKENDS_CPU_MICROKERNELS_ADD_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_ADD_QS8_H_

#include "backends/cpu/microkernels/variants.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* y = clamp((start + factors[0] * a + factors[1] * b >> shift) + zero_point, low, high) in int32.
 * The sum before the shift wraps around. */
typedef struct et_cpu_add_qs8 {
  int32_t factors[2];
  int32_t start;
  int32_t shift; /* 0 to 31 */
  int32_t zero_point;
  int32_t low;
  int32_t high;
  bool is_signed; /* true: a, b and y are int8; false: uint8 */
} et_cpu_add_qs8;

/* y may be a or b. */
typedef void et_cpu_add_qs8_function(const et_cpu_add_qs8 *add,
                                     const uint8_t *a, const uint8_t *b,
                                     uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_add_qs8_function, et_cpu_add_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_ADD_QS8_H_ */
