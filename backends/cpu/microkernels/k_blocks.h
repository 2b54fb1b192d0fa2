/* Splits K of a float32 GEMM into equal blocks of at most ET_MAX_DEPTH elements.
 *
 *   y = x[:, block 0] @ W[block 0] + x[:, block 1] @ W[block 1] + ...
 *
 * Between two blocks, y holds the accumulators. */
#ifndef BACKENDS_CPU_MICROKERNELS_K_BLOCKS_H_
#define BACKENDS_CPU_MICROKERNELS_K_BLOCKS_H_

#include "backends/cpu/microkernels/tile.h"

/* Maximum size of a K block. With AVX-512, a group of panels is then 200 KB, a fraction of the 1 MB
 * L2 cache. Half the size would load and store the accumulators twice as often. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_MAX_DEPTH 768
#else
#define ET_MAX_DEPTH ET_TILE_DEPTH
#endif

/* Returns the size of equal K blocks of at most ET_MAX_DEPTH elements. */
ET_INLINE size_t et_depth_of_part(size_t depth) {
  const size_t parts = (depth + ET_MAX_DEPTH - 1) / ET_MAX_DEPTH;
  return parts < 2 ? depth : (depth + parts - 1) / parts;
}

/* Computes one group of columns, one K block at a time. The K block of a panel stays in the L1 or
 * L2 cache while all rows use it. Results stay in cache between K blocks. */
ET_INLINE void et_tiles_in_parts(et_tiles tiles, size_t rows, size_t columns,
                                 size_t depth) {
  const size_t part = et_depth_of_part(depth);
  const float *const following = tiles.next;
  size_t k = 0;
  do {
    tiles.depth = depth - k < part ? depth - k : part;
    k += tiles.depth;
    tiles.last = k == depth;
    tiles.next = tiles.last ? following : tiles.panels + part * ET_CPU_PANEL;
    ET_CPU_NAME(et_cpu_tiles)(&tiles, rows, columns);
    tiles.x += tiles.depth;
    tiles.panels += tiles.depth * ET_CPU_PANEL;
    tiles.start = NULL;
  } while (!tiles.last);
}

#endif /* BACKENDS_CPU_MICROKERNELS_K_BLOCKS_H_ */
