/* How a tensor of bytes stands for numbers. */
#ifndef BACKENDS_CPU_MICROKERNELS_QUANTIZED_H_
#define BACKENDS_CPU_MICROKERNELS_QUANTIZED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/schema/records.h"

/* What is read. */
typedef struct et_cpu_bytes {
  const uint8_t *data;
  int32_t zero_point;
  bool is_signed; /* int8, else uint8 */
  size_t size;
} et_cpu_bytes;

/* A sum s of products of a column stands for the number
 * (s - zero_point * sums) * scale + bias, rounded twice, or where there is a start for
 * (s - zero_point * sums + start) * scale, rounded once. */
typedef struct et_cpu_columns_i8 {
  const int32_t *sums; /* of all weights of the column */
  const float *scale;
  const float *bias;    /* or NULL: there is a start */
  const int32_t *start; /* or NULL */
} et_cpu_columns_i8;

#endif /* BACKENDS_CPU_MICROKERNELS_QUANTIZED_H_ */
