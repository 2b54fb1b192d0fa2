/* Implements gemm_f16w.h: y = activation(x * W + bias + residual) with float16 or bfloat16 W.
 *
 * et_cpu_gemm_f16w_rows widens a block of W to float32 on the stack and multiplies all rows by it
 * with the register tile (widened.h). et_cpu_gemm_f16w_row widens W in registers. Its tile is one
 * row by ROW_PANELS panels, or by one panel for the last columns. It prefetches the panels; memory
 * bandwidth is the bottleneck. */
#include "backends/cpu/microkernels/gemm_f16w.h"

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/half.h"
#include "backends/cpu/microkernels/widened.h"
#include "runtime/core/arithmetic.h"

/* Number of panels that are multiplied by a single row at once. Their accumulators hide the latency
 * of multiply-adds. */
#if defined(ET_CPU_ISA_PLAIN) || defined(ET_CPU_ISA_WASM_SIMD128)
#define ROW_PANELS 2
#else
#define ROW_PANELS 4
#endif

/* Prefetch distance, in weights of a panel. Two rows of K fill a cache line. */
#define AHEAD (24 * ET_CPU_PANEL)

ET_INLINE void add_weights(const et_cpu_gemm_f16w *p, const uint16_t *panels,
                           bool is_bfloat, int vectors, et_f32 *sums) {
  const size_t stride = p->product.depth * ET_CPU_PANEL;
  for (size_t k = 0; k < p->product.depth; k++, panels += ET_CPU_PANEL) {
    const et_f32 x = et_f32_all(p->product.x[k]);
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      const uint16_t *from = panels + (size_t)(v / ET_PANEL_VECTORS) * stride +
                             v % ET_PANEL_VECTORS * ET_CPU_LANES;
      if (v % ET_PANEL_VECTORS == 0) {
        et_prefetch(from + AHEAD);
      }
      sums[v] = et_f32_fma(x, et_half_load(from, is_bfloat), sums[v]);
    }
  }
}

/* Stores `columns` results of a single row, starting at column `first`. */
static void store_row(const et_cpu_gemm *p, size_t first, size_t columns,
                      const et_f32 *totals) {
  const et_f32 low = et_f32_all(et_cpu_clamp_low(&p->activation));
  const et_f32 high = et_f32_all(et_cpu_clamp_high(&p->activation));
  for (size_t c = 0; c < columns; c += ET_CPU_LANES, totals++) {
    const size_t left = columns - c;
    const size_t count = left < ET_CPU_LANES ? left : ET_CPU_LANES;
    et_f32 sum = *totals;
    if (p->residual != NULL) {
      sum += et_f32_load_some(p->residual + first + c, count);
    }
    et_f32_store_some(p->out + first + c, et_f32_clamp(sum, low, high), count);
  }
  if (et_cpu_is_curve(&p->activation)) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (&p->activation, p->out + first, p->columns, 1, columns);
  }
}

ET_INLINE void run_panels(const et_cpu_gemm_f16w *p, size_t column,
                          size_t columns, int panels) {
  const int vectors = panels * ET_PANEL_VECTORS;
  const uint16_t *weights = p->panels + column * p->product.depth;
  et_f32 sums[ROW_PANELS * ET_PANEL_VECTORS];
  ET_UNROLL for (int v = 0; v < vectors; v++) {
    sums[v] = et_f32_load(p->product.bias + column + v * ET_CPU_LANES);
  }
  if (p->is_bfloat) {
    add_weights(p, weights, true, vectors, sums);
  } else {
    add_weights(p, weights, false, vectors, sums);
  }
  store_row(&p->product, column, columns, sums);
}

void ET_CPU_NAME(et_cpu_gemm_f16w_row)(const et_cpu_gemm_f16w *product,
                                       const et_cpu_range *range) {
  const size_t max = ROW_PANELS * ET_CPU_PANEL;
  size_t column = range->first_column;
  for (size_t left = range->columns; left > 0;) {
    const size_t width =
        et_min_size(left, left > max - ET_CPU_PANEL ? max : ET_CPU_PANEL);
    if (left > max - ET_CPU_PANEL) {
      run_panels(product, column, width, ROW_PANELS);
    } else {
      run_panels(product, column, width, 1);
    }
    column += width;
    left -= width;
  }
}

/* Implements et_put_block for et_cpu_gemm_f16w: widens a block to float32. */
static void put_block(const void *weights, size_t panel, size_t first,
                      size_t depth, float *to) {
  const et_cpu_gemm_f16w *p = weights;
  const uint16_t *from =
      p->panels + (panel * p->product.depth + first) * ET_CPU_PANEL;
  et_widen_panel(from, to, depth, p->is_bfloat);
}

void ET_CPU_NAME(et_cpu_gemm_f16w_rows)(const et_cpu_gemm_f16w *product,
                                        const et_cpu_range *range) {
  et_widened_product(&product->product, product, put_block, range);
}
