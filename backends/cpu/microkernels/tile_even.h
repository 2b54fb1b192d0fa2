/* Splits rows into tiles of similar, even heights, so that only even heights need code. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_EVEN_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_EVEN_H_

#include <stddef.h>

/* Computes the tile of the GEMM `product` at row `row`. Each function has a fixed tile height. */
typedef void et_tile_function(const void *product, size_t row);

/* Covers `rows` rows with tiles and calls functions[height] for each. `max` is the maximum height,
 * an even number. If `rows` is odd, the last tile recomputes a row. A single row has its own
 * function. */
static inline void et_run_even_tiles(const void *product, size_t rows,
                                     size_t max,
                                     et_tile_function *const *functions) {
  const size_t pairs = (rows + 1) / 2;
  const size_t min = (2 * pairs + max - 1) / max;
  const size_t tiles = min == 1 && rows % 2 == 1 ? 2 : min;
  if (rows == 1) {
    functions[1](product, 0);
    return;
  }
  for (size_t i = 0, row = 0; i < tiles; i++) {
    const size_t height = 2 * (pairs / tiles + (i < pairs % tiles ? 1 : 0));
    functions[height](product, row + height <= rows ? row : rows - height);
    row += height;
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_EVEN_H_ */
