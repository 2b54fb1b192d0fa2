/* Quantized tensors and their requantization parameters. */
#ifndef BACKENDS_CPU_MICROKERNELS_QUANTIZED_H_
#define BACKENDS_CPU_MICROKERNELS_QUANTIZED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/schema/records.h"

/* A quantized operand. */
typedef struct et_cpu_qs8 {
  const uint8_t *data;
  int32_t zero_point;
  bool is_signed; /* true: int8; false: uint8 */
  size_t size;
} et_cpu_qs8;

/* Requantization of output channels (columns of weights). The result for an accumulator s is either
 *   (s - zero_point * sums) * scale + bias,  rounded twice, or
 *   (s - zero_point * sums + start) * scale, rounded once.
 * Either bias or start is NULL. */
typedef struct et_cpu_columns_i8 {
  const int32_t *sums; /* sums of the weights of each column */
  const float *scale;
  const float *bias;
  const int32_t *start; /* int32 bias */
} et_cpu_columns_i8;

#endif /* BACKENDS_CPU_MICROKERNELS_QUANTIZED_H_ */
