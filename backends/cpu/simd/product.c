#include "backends/cpu/simd/product.h"

#include "backends/cpu/simd/tile.h"

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

void ET_CPU_NAME(et_cpu_product_f32)(const et_cpu_product *product,
                                     const et_cpu_range *range) {
  et_tiles tiles = whole_tiles(product, range);
  const size_t block = et_tile_depth(product->depth);
  size_t k = 0;
  do {
    const size_t left = product->depth - k;
    tiles.depth = left < block ? left : block;
    tiles.last = tiles.depth == left;
    ET_CPU_NAME(et_cpu_tiles)(&tiles, range->rows, range->columns);
    tiles.x += tiles.depth;
    tiles.panels += tiles.depth * ET_PANEL;
    tiles.start = NULL;
    k += tiles.depth;
  } while (!tiles.last);
}
