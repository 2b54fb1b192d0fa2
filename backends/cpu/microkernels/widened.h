/* GEMM with weights that are widened to float32 in blocks.
 *
 * A block has ET_BLOCK_PANELS panels by ET_BLOCK_DEPTH elements of K. The float32 tiles multiply
 * all rows by it. It is on the stack (16 KiB) and stays in the L1 cache. Results are bit-identical
 * to those of a float32 GEMM. */
#ifndef BACKENDS_CPU_MICROKERNELS_WIDENED_H_
#define BACKENDS_CPU_MICROKERNELS_WIDENED_H_

#include "backends/cpu/microkernels/gemm_f32.h"
#include "backends/cpu/microkernels/sums.h"

/* Writes `depth` rows of a panel, starting at K index `first`, as float32. */
typedef void et_put_block(const void *weights, size_t panel, size_t first,
                          size_t depth, float *to);

ET_INLINE et_tiles et_tiles_of_block(const et_cpu_gemm *p, size_t row,
                                     size_t column, const float *block) {
  const size_t first = row * p->columns + column;
  return (et_tiles){
      .x = p->x + row * p->depth,
      .x_stride = p->depth,
      .segments = 1,
      .panels = block,
      .panel_stride = ET_BLOCK_DEPTH * ET_CPU_PANEL,
      .start = p->bias + column,
      .out = p->out + first,
      .out_stride = p->columns,
      .residual = p->residual == NULL ? NULL : p->residual + first,
      .residual_stride = p->columns,
      .activation = &p->activation,
  };
}

/* Computes `columns` columns of at most ET_BLOCK_PANELS panels, for the rows of `range`. */
ET_INLINE void et_widen_columns(const et_cpu_gemm *p, const void *weights,
                                et_put_block *put, const et_cpu_range *range,
                                size_t column, size_t columns) {
  float block[ET_BLOCK_PANELS * ET_BLOCK_DEPTH * ET_CPU_PANEL];
  et_tiles tiles = et_tiles_of_block(p, range->first_row, column, block);
  size_t k = 0;
  do {
    tiles.depth = p->depth - k < ET_BLOCK_DEPTH ? p->depth - k : ET_BLOCK_DEPTH;
    for (size_t panel = 0; panel * ET_CPU_PANEL < columns; panel++) {
      put(weights, column / ET_CPU_PANEL + panel, k, tiles.depth,
          block + panel * ET_BLOCK_DEPTH * ET_CPU_PANEL);
    }
    k += tiles.depth;
    tiles.last = k == p->depth;
    ET_CPU_NAME(et_cpu_tiles)(&tiles, range->rows, columns);
    tiles.x += tiles.depth;
    tiles.start = NULL;
  } while (!tiles.last);
}

/* Computes the GEMM `p` with weights that `put` reads from `weights`. `p->panels` is ignored. */
ET_INLINE void et_widened_product(const et_cpu_gemm *p, const void *weights,
                                  et_put_block *put,
                                  const et_cpu_range *range) {
  const size_t max = ET_BLOCK_PANELS * ET_CPU_PANEL;
  for (size_t c = 0; c < range->columns; c += max) {
    const size_t left = range->columns - c;
    et_widen_columns(p, weights, put, range, range->first_column + c,
                     left < max ? left : max);
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_WIDENED_H_ */
