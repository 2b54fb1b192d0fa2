#include "backends/cpu/simd/product.h"

#include "backends/cpu/simd/sums.h"

/* Summands of rows that are added in one go: 200 KB of panels with AVX-512, whose second
 * cache is a MB; results come by less often than with half of it. */
#if defined(ET_CPU_ISA_AVX512)
#define MOST_DEPTH 768
#else
#define MOST_DEPTH ET_TILE_DEPTH
#endif

/* The like parts, at most MOST_DEPTH, that `depth` summands are added in. */
ET_INLINE size_t depth_of_part(size_t depth) {
  const size_t parts = (depth + MOST_DEPTH - 1) / MOST_DEPTH;
  return parts < 2 ? depth : (depth + parts - 1) / parts;
}

static et_tiles whole_tiles(const et_cpu_product *p,
                            const et_cpu_range *range) {
  const size_t first = range->first_row * p->columns + range->first_column;
  const et_tiles tiles = {
      .x = p->x + range->first_row * p->depth,
      .x_stride = p->depth,
      .segments = 1,
      .panels = p->panels + range->first_column * p->depth,
      .panel_stride = p->depth * ET_PANEL,
      .start = p->bias + range->first_column,
      .out = p->out + first,
      .out_stride = p->columns,
      .residual = p->residual == NULL ? NULL : p->residual + first,
      .residual_stride = p->columns,
      .activation = &p->activation,
  };
  return tiles;
}

/* One group of columns, in parts of the summands: a part of a panel stays in the
 * nearest cache while all rows pass by, and so do the results between parts. */
static void run_columns(et_tiles tiles, size_t rows, size_t columns,
                        size_t depth) {
  const size_t part = depth_of_part(depth);
  const float *const following = tiles.next;
  size_t k = 0;
  do {
    tiles.depth = depth - k < part ? depth - k : part;
    k += tiles.depth;
    tiles.last = k == depth;
    tiles.next = tiles.last ? following : tiles.panels + part * ET_PANEL;
    ET_CPU_NAME(et_cpu_tiles)(&tiles, rows, columns);
    tiles.x += tiles.depth;
    tiles.panels += tiles.depth * ET_PANEL;
    tiles.start = NULL;
  } while (!tiles.last);
}

void ET_CPU_NAME(et_cpu_product_f32)(const et_cpu_product *product,
                                     const et_cpu_range *range) {
  const size_t group = ET_TILE_PANELS * ET_PANEL;
  et_tiles tiles = whole_tiles(product, range);
  size_t left = range->columns;
  while (left > 0) {
    /* The last two groups together, so that tiles may share them out evenly. */
    const size_t columns = left < 2 * group ? left : group;
    left -= columns;
    tiles.next = left > 0 ? tiles.panels + columns * product->depth : NULL;
    run_columns(tiles, range->rows, columns, product->depth);
    et_tiles_right(&tiles, ET_TILE_PANELS);
  }
}
