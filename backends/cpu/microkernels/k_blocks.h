/* The parts that the summands of a product are added in. */
#ifndef BACKENDS_CPU_MICROKERNELS_K_BLOCKS_H_
#define BACKENDS_CPU_MICROKERNELS_K_BLOCKS_H_

#include "backends/cpu/microkernels/tile.h"

/* Summands of rows that are added in one go: 200 KB of panels with AVX-512, whose second
 * cache is a MB; results come by less often than with half of it. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_MOST_DEPTH 768
#else
#define ET_MOST_DEPTH ET_TILE_DEPTH
#endif

/* The like parts, at most ET_MOST_DEPTH, that `depth` summands are added in. */
ET_INLINE size_t et_depth_of_part(size_t depth) {
  const size_t parts = (depth + ET_MOST_DEPTH - 1) / ET_MOST_DEPTH;
  return parts < 2 ? depth : (depth + parts - 1) / parts;
}

/* One group of columns, in parts of the summands: a part of a panel stays in the
 * nearest cache while all rows pass by, and so do the results between parts. */
ET_INLINE void et_tiles_in_parts(et_tiles tiles, size_t rows, size_t columns,
                                 size_t depth) {
  const size_t part = et_depth_of_part(depth);
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

#endif /* BACKENDS_CPU_MICROKERNELS_K_BLOCKS_H_ */
