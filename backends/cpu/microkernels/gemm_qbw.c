/* Implements et_cpu_gemm_qbw_rows of gemm_qbw.h: float32 GEMM with 4-bit or 8-bit weights.
 *
 *   y = activation(x @ weights + bias + residual)
 *   weight = (q - zero_point) * scale, or (q + 2^(bits - 1)) * scale + minimum
 *
 * Words are [panel][K * bits / 32][16]. A block of 2 panels by 128 elements of K is dequantized to
 * float32 on the stack. The register tile (tile.h) then multiplies all rows by it (widened.h).
 * Arithmetic is the bottleneck. gemv_qbw.c is the variant for one row. */
#include "backends/cpu/microkernels/gemm_qbw.h"

#include "backends/cpu/microkernels/low_bit_values.h"
#include "backends/cpu/microkernels/parameters.h"
#include "backends/cpu/microkernels/widened.h"

/* Returns the values that are subtracted from quantized values before scaling. `at` is the index of
 * their parameters. */
ET_INLINE et_f32 zeros_at(const et_cpu_gemm_qbw *p, size_t at, int bits) {
  return p->minima.data != NULL ? et_f32_all(-(float)(1 << (bits - 1)))
                                : et_parameters_load(&p->zero_points, at);
}

/* Dequantizes a row of words. `group` is the index of its first parameter. */
ET_INLINE void put_words(const et_cpu_gemm_qbw *p, const int32_t *words,
                         size_t group, int bits, float *to) {
  const int per_word = 32 / bits;
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    const size_t at = group + (size_t)v * ET_CPU_LANES;
    const et_i32 w = et_words_load(words + v * ET_CPU_LANES);
    const et_f32 scale = et_scales_load(&p->scales, at);
    const et_f32 zero = zeros_at(p, at, bits);
    const et_f32 minimum = et_parameters_load(&p->minima, at);
    ET_UNROLL for (int j = 0; j < per_word; j++) {
      et_f32_store(to + j * ET_CPU_PANEL + v * ET_CPU_LANES,
                   (et_weight_f32(w, j, bits) - zero) * scale + minimum);
    }
  }
}

/* Implements et_put_block for et_cpu_gemm_qbw: dequantizes a block. */
static void put_block(const void *weights, size_t panel, size_t first,
                      size_t depth, float *to) {
  const et_cpu_gemm_qbw *p = weights;
  const size_t per_word = 32 / p->bits;
  const size_t groups = p->depth / p->group;
  const int32_t *words =
      p->words + panel * (p->depth / per_word) * ET_CPU_PANEL;
  for (size_t k = first; k < first + depth;
       k += per_word, to += per_word * ET_CPU_PANEL) {
    const size_t group = (panel * groups + k / p->group) * ET_CPU_PANEL;
    if (p->bits == 4) {
      put_words(p, words + k / per_word * ET_CPU_PANEL, group, 4, to);
    } else {
      put_words(p, words + k / per_word * ET_CPU_PANEL, group, 8, to);
    }
  }
}

void ET_CPU_NAME(et_cpu_gemm_qbw_rows)(const et_cpu_gemm_qbw *product,
                                       const et_cpu_range *range) {
  const et_cpu_gemm rows = {.x = product->x,
                            .bias = product->bias,
                            .residual = product->residual,
                            .out = product->out,
                            .depth = product->depth,
                            .columns = product->columns,
                            .activation = product->activation};
  et_widened_product(&rows, product, put_block, range);
}
