/* Sums of shares of bytes, in whole numbers. */
#ifndef BACKENDS_CPU_MICROKERNELS_ADD_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_ADD_QS8_H_

#include "backends/cpu/microkernels/variants.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A byte of a and one of b become
 *   (start + factors[0] * a + factors[1] * b) >> shift + zero_point,
 * within low and high. Sums before the shift are those of int32: they wrap. */
typedef struct et_cpu_add_qs8 {
  int32_t factors[2];
  int32_t start;
  int32_t shift; /* 0 to 31 */
  int32_t zero_point;
  int32_t low; /* and high: of the bytes */
  int32_t high;
  bool is_signed; /* int8, else uint8: a, b and y */
} et_cpu_add_qs8;

/* y may be a or b. */
typedef void et_cpu_add_shares_function(const et_cpu_add_qs8 *shares,
                                        const uint8_t *a, const uint8_t *b,
                                        uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_add_shares_function, et_cpu_add_shares);

#endif /* BACKENDS_CPU_MICROKERNELS_ADD_QS8_H_ */
