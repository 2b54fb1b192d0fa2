/* The register tile of products and convolutions: a few rows times a few panels
 * of packed weights, each result one chain of multiply-adds in the order of k.
 * Splitting k, rows or columns elsewhere does not change a bit. */
#ifndef BACKENDS_CPU_SIMD_TILE_H_
#define BACKENDS_CPU_SIMD_TILE_H_

#include <stdbool.h>

#include "backends/cpu/simd/activation.h"
#include "backends/cpu/simd/simd.h"

/* Most rows of a tile. */
#if defined(ET_CPU_ISA_PLAIN)
#define ET_TILE_ROWS 3
#else
#define ET_TILE_ROWS 6
#endif

/* Summands that are added in one go, so that a group of panels stays in the
 * nearest caches while all rows pass by. */
#define ET_TILE_DEPTH 384

/* Panels and summands of a block of weights that become floats before tiles read
 * them: 16 KiB, which lie on the stack. */
#define ET_BLOCK_PANELS 2
#define ET_BLOCK_DEPTH 128

/* The like parts, at most ET_TILE_DEPTH, that `depth` summands are added in. */
ET_INLINE size_t et_tile_depth(size_t depth) {
  const size_t parts = (depth + ET_TILE_DEPTH - 1) / ET_TILE_DEPTH;
  return parts < 2 ? depth : (depth + parts - 1) / parts;
}

/* Tiles of some rows each, one below the other. */
typedef struct et_tiles {
  const float
      *x; /* row r begins at x + r * x_stride, unless there is a table */
  size_t x_stride;
  const float *const
      *table;          /* [tile][segment][ET_TILE_ROWS]: where rows begin */
  size_t segments;     /* pieces that a row is made of; 1 without a table */
  size_t depth;        /* elements of a segment */
  const float *panels; /* [panel][segments * depth][ET_PANEL] */
  size_t panel_stride;
  const float *next;  /* panels that are worked on later; NULL: unknown */
  const float *start; /* what sums begin with, a column; NULL: what out holds */
  float *out;
  size_t out_stride;
  const float *residual; /* added at the end; NULL: nothing */
  size_t residual_stride;
  size_t lanes; /* columns of the last panel: see sums.h */
  bool last;    /* add the residual, apply the activation */
  const et_cpu_activation *activation;
} et_tiles;

/* How rows are shared out among tiles, as evenly as possible: `taller` tiles of
 * height + 1 rows, then the others of `height`. */
typedef struct et_tile_split {
  size_t tiles;
  size_t taller;
  size_t height;
} et_tile_split;

ET_INLINE et_tile_split et_split_rows(size_t rows) {
  const size_t tiles = (rows + ET_TILE_ROWS - 1) / ET_TILE_ROWS;
  const et_tile_split split = {tiles, tiles == 0 ? 0 : rows % tiles,
                               tiles == 0 ? 0 : rows / tiles};
  return split;
}

/* Computes the first `columns` columns of `rows` rows, which a table lists in
 * the tiles of et_split_rows. `start` has whole panels; nothing beyond the
 * columns of `out` and `residual` is touched. */
void ET_CPU_NAME(et_cpu_tiles)(const et_tiles *tiles, size_t rows,
                               size_t columns);

#endif /* BACKENDS_CPU_SIMD_TILE_H_ */
