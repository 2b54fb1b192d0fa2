/* The register tile of products and convolutions: a few rows times a few panels
 * of packed weights, each result one chain of multiply-adds in the order of k.
 * Splitting k, rows or columns elsewhere does not change a bit. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/simd.h"

/* Most rows of a tile. */
#if defined(ET_CPU_ISA_PLAIN)
#define ET_TILE_ROWS 3
#else
#define ET_TILE_ROWS 6
#endif

/* Summands of windows that are added in one go, so that a group of panels stays in the
 * nearest caches while all rows pass by. */
#define ET_TILE_DEPTH 384

/* Panels and summands of a block of weights that become floats before tiles read
 * them: 16 KiB, which lie on the stack. */
#define ET_BLOCK_PANELS 2
#define ET_BLOCK_DEPTH 128

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

/* From so many rows on, the next tile is one of most rows. */
#if defined(ET_CPU_ISA_PLAIN)
#define ET_TILE_TAIL 6
#elif defined(ET_CPU_ISA_AVX512)
#define ET_TILE_TAIL 12
#else
#define ET_TILE_TAIL 14
#endif

/* Rows of the next tile where `left` are left: of those before the last ones most, then as
 * like as possible. With AVX-512 none has five rows, which would take 4 KB of code: tiles of
 * three and of four rows are as fast. */
ET_INLINE size_t et_tile_height(size_t left) {
#if defined(ET_CPU_ISA_PLAIN)
  static const uint8_t heights[ET_TILE_TAIL] = {0, 1, 2, 3, 2, 3};
#elif defined(ET_CPU_ISA_AVX512)
  static const uint8_t heights[ET_TILE_TAIL] = {0, 1, 2, 3, 4, 3,
                                                6, 4, 4, 6, 6, 4};
#else
  static const uint8_t heights[ET_TILE_TAIL] = {0, 1, 2, 3, 4, 5, 6,
                                                4, 4, 5, 5, 6, 6, 5};
#endif
  return left < ET_TILE_TAIL ? heights[left] : ET_TILE_ROWS;
}

/* How many tiles of that height come at least, one after the other. */
ET_INLINE size_t et_like_tiles(size_t left) {
  const size_t whole =
      left < ET_TILE_TAIL ? 0 : (left - ET_TILE_TAIL) / ET_TILE_ROWS + 1;
  const size_t next = et_tile_height(left - whole * ET_TILE_ROWS);
  return whole == 0 || next == ET_TILE_ROWS ? whole + 1 : whole;
}

/* Most tiles of so many rows: one more than if all but the last were of most rows. */
#define ET_MOST_TILES(rows) (((rows) + ET_TILE_ROWS - 1) / ET_TILE_ROWS + 1)

/* Computes the first `columns` columns of `rows` rows, which a table lists in
 * tiles of et_tile_height. `start` has whole panels; nothing beyond the
 * columns of `out` and `residual` is touched. */
void ET_CPU_NAME(et_cpu_tiles)(const et_tiles *tiles, size_t rows,
                               size_t columns);

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_H_ */
