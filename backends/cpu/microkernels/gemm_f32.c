/* Implements gemm_f32.h: y = activation(x * W + bias + residual), with W in panels [K][16].
 *
 * Columns are processed in groups of ET_TILE_PANELS panels, and K in blocks (k_blocks.h). A block
 * of a group stays in cache while the register tile (tile.h) processes all rows. Between two K
 * blocks, y holds the accumulators. Each group prefetches the next one. Multiply-adds are the
 * bottleneck; with one row, weight loads are. */
#include "backends/cpu/microkernels/gemm_f32.h"

#include "backends/cpu/microkernels/k_blocks.h"
#include "backends/cpu/microkernels/sums.h"

static et_tiles whole_tiles(const et_cpu_gemm *p, const et_cpu_range *range) {
  const size_t first = range->first_row * p->columns + range->first_column;
  const et_tiles tiles = {
      .x = p->x + range->first_row * p->depth,
      .x_stride = p->depth,
      .segments = 1,
      .panels = p->panels + range->first_column * p->depth,
      .panel_stride = p->depth * ET_CPU_PANEL,
      .start = p->bias + range->first_column,
      .out = p->out + first,
      .out_stride = p->columns,
      .residual = p->residual == NULL ? NULL : p->residual + first,
      .residual_stride = p->columns,
      .activation = &p->activation,
  };
  return tiles;
}

void ET_CPU_NAME(et_cpu_gemm_f32)(const et_cpu_gemm *product,
                                  const et_cpu_range *range) {
  const size_t group = ET_TILE_PANELS * ET_CPU_PANEL;
  et_tiles tiles = whole_tiles(product, range);
  size_t left = range->columns;
  while (left > 0) {
    /* The last two groups are computed together, so that their panels can be divided evenly into
     * tiles. If K is a single block, all groups are computed together. */
    const size_t columns =
        left < 2 * group || product->depth <= ET_MAX_DEPTH ? left : group;
    left -= columns;
    tiles.next = left > 0 ? tiles.panels + columns * product->depth : NULL;
    et_tiles_in_parts(tiles, range->rows, columns, product->depth);
    et_tiles_right(&tiles, ET_TILE_PANELS);
  }
}
