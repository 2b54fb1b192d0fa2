/* y = activation(x * weights + bias + residual) in float, of weights that are
 * codes of 4 or 8 bits in groups of one scale. */
#ifndef BACKENDS_CPU_SIMD_PRODUCT_Q_H_
#define BACKENDS_CPU_SIMD_PRODUCT_Q_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/simd/product.h"

/* A word has the codes of 32 / bits consecutive weights of a column, signed, the
 * first in the lowest bits. Groups are whole words. */
typedef struct et_cpu_product_q {
  const float *x;           /* [rows][depth] */
  const int32_t *words;     /* [ceil(columns / 16)][depth * bits / 32][16] */
  const float *scales;      /* [ceil(columns / 16)][depth / group][16] */
  const float *zero_points; /* like scales, or NULL */
  const float *bias;        /* [ceil(columns / 16) * 16] */
  const float *residual;    /* [rows][columns], or NULL */
  float *out;               /* [rows][columns] */
  size_t depth;
  size_t columns;
  size_t group; /* weights */
  size_t bits;  /* 4 or 8 */
  et_cpu_activation activation;
} et_cpu_product_q;

/* Of several rows: weights become floats a block at a time, which a tile then
 * multiplies. Of one row each is read once: sums of codes, times scales. */
typedef void et_cpu_product_q_function(const et_cpu_product_q *product,
                                       const et_cpu_range *range);

ET_CPU_DECLARE(et_cpu_product_q_function, et_cpu_product_q_rows);
ET_CPU_DECLARE(et_cpu_product_q_function, et_cpu_product_q_row);

#endif /* BACKENDS_CPU_SIMD_PRODUCT_Q_H_ */
