/* gemm_f32 with float16 or bfloat16 weights: y = activation(x * W + bias + residual).
 *
 * x is [rows, K] and y is [rows, N], both float32. Weights are panels of 16 columns, [ceil(N /
 * 16)][K][16], with 16-bit elements:
 *   panel 0: w[k=0][0..15]   w[k=1][0..15]   ... w[k=K-1][0..15]
 * They are widened to float32 exactly, so results are bit-identical to those of gemm_f32.
 * - Several rows: blocks of 2 panels by 128 elements of K are widened on the stack (16 KiB), then
 *   read by the float32 tiles (tile.h). Multiply-adds are the bottleneck.
 * - One row: weights are widened in registers, 4 panels at a time (2 in plain C), which gives
 *   enough accumulators to hide the latency of multiply-adds. The bottleneck is memory bandwidth;
 *   the traffic is half that of gemm_f32. */
#ifndef BACKENDS_CPU_MICROKERNELS_GEMM_F16W_H_
#define BACKENDS_CPU_MICROKERNELS_GEMM_F16W_H_

#include <stdbool.h>
#include <stdint.h>

#include "backends/cpu/microkernels/gemm_f32.h"

typedef struct et_cpu_gemm_f16w {
  et_cpu_gemm product;    /* the field `panels` is not used */
  const uint16_t *panels; /* [ceil(columns / 16)][depth][16] */
  bool is_bfloat;
} et_cpu_gemm_f16w;

/* et_cpu_gemm_f16w_rows computes several rows; et_cpu_gemm_f16w_row computes one. */
typedef void et_cpu_gemm_f16w_function(const et_cpu_gemm_f16w *product,
                                       const et_cpu_range *range);

ET_CPU_DECLARE(et_cpu_gemm_f16w_function, et_cpu_gemm_f16w_rows);
ET_CPU_DECLARE(et_cpu_gemm_f16w_function, et_cpu_gemm_f16w_row);

#endif /* BACKENDS_CPU_MICROKERNELS_GEMM_F16W_H_ */
