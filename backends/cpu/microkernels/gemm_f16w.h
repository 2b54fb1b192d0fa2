/* y = activation(x * weights + bias + residual) in float, of weights that are
 * float16 or bfloat16: the bits are those of the floats that they stand for. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_F16W_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_F16W_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/microkernels/gemm_f32.h"

typedef struct et_cpu_gemm_f16w {
  et_cpu_gemm product;    /* without panels of floats */
  const uint16_t *panels; /* [ceil(columns / 16)][depth][16] */
  bool is_bfloat;
} et_cpu_gemm_f16w;

/* Of several rows: weights become floats a block at a time, which a tile then
 * multiplies. Of one row each is read once. */
typedef void et_cpu_gemm_f16w_function(const et_cpu_gemm_f16w *product,
                                       const et_cpu_range *range);

ET_CPU_DECLARE(et_cpu_gemm_f16w_function, et_cpu_gemm_f16w_rows);
ET_CPU_DECLARE(et_cpu_gemm_f16w_function, et_cpu_gemm_f16w_row);

#endif /* BACKENDS_CPU_MICROKERNELS_GEMM_F16W_H_ */
