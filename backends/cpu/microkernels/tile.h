/* Float32 register tile of GEMM and convolutions.
 *
 *   y[m, n] = activation(sum over k of x[m, k] * w[k, n] + start[n] + residual[m, n])
 *
 * Weights are packed in panels of 16 columns, [panel][K][16], for every instruction set:
 *   panel 0: w[k=0][0..15]   w[k=1][0..15]   ... w[k=K-1][0..15]
 *   panel 1: w[k=0][16..31]  w[k=1][16..31]  ... w[k=K-1][16..31]
 * Most rows are computed in tiles of 6 rows by 4 panels (AVX-512), 6 rows by 1 panel (AVX2, NEON),
 * 3 rows by 1 panel (plain C) or 2 rows by 1 panel (WebAssembly). The accumulators, one row of
 * weights and one broadcast element fill the registers. V8 spills accumulators of a WebAssembly
 * tile with 3 rows, which takes twice as long per multiply-add. Each result is one chain of multiply-adds in the order of k, so results are
 * bit-identical regardless of how K, rows and columns are split. Multiply-adds are the bottleneck;
 * with one row, weight loads are. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/simd.h"

/* Maximum number of rows of a tile. */
#if defined(ET_CPU_ISA_WASM_SIMD128)
#define ET_TILE_ROWS 2
#elif defined(ET_CPU_ISA_PLAIN)
#define ET_TILE_ROWS 3
#else
#define ET_TILE_ROWS 6
#endif

/* Maximum K block of convolutions and, except with AVX-512, of GEMMs. A group of panels stays in
 * cache while all rows use it. */
#define ET_TILE_DEPTH 384

/* Number of panels, and maximum K, of a block of weights that is widened to float32 before the
 * tiles read it. A block takes 16 KiB on the stack. */
#define ET_BLOCK_PANELS 2
#define ET_BLOCK_DEPTH 128

/* A column of tiles: several rows by the columns of `panels`. */
typedef struct et_tiles {
  const float *x; /* without a table, row r is at x + r * x_stride */
  size_t x_stride;
  const float *const *table; /* row pointers, [tile][segment][ET_TILE_ROWS] */
  size_t segments;     /* number of segments of a row; 1 without a table */
  size_t depth;        /* K of a segment */
  const float *panels; /* [panel][segments * depth][ET_CPU_PANEL] */
  size_t panel_stride;
  const float *next;  /* panels to prefetch; NULL: none */
  const float *start; /* initial accumulators, [columns]; NULL: `out` */
  float *out;
  size_t out_stride;
  const float *residual; /* NULL: none */
  size_t residual_stride;
  size_t lanes; /* columns of the last panel; see sums.h */
  bool last;    /* whether to add the residual and apply the activation */
  const et_cpu_activation *activation;
} et_tiles;

/* Minimum number of remaining rows for which the next tile has ET_TILE_ROWS rows. */
#if defined(ET_CPU_ISA_WASM_SIMD128)
#define ET_TILE_TAIL 2
#elif defined(ET_CPU_ISA_PLAIN)
#define ET_TILE_TAIL 6
#elif defined(ET_CPU_ISA_AVX512)
#define ET_TILE_TAIL 12
#else
#define ET_TILE_TAIL 14
#endif

/* Returns the number of rows of the next tile if `left` rows are left. It is ET_TILE_ROWS until
 * fewer than ET_TILE_TAIL rows are left; the remaining tiles have heights that are as equal as
 * possible. With AVX-512, no tile has five rows, because such a tile would add 4 KB of code, and
 * tiles of three and four rows are just as fast. */
ET_INLINE size_t et_tile_height(size_t left) {
#if defined(ET_CPU_ISA_WASM_SIMD128)
  static const uint8_t heights[ET_TILE_TAIL] = {0, 1};
#elif defined(ET_CPU_ISA_PLAIN)
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

/* Returns the minimum number of consecutive tiles of height et_tile_height(left). */
ET_INLINE size_t et_equal_tiles(size_t left) {
  const size_t whole =
      left < ET_TILE_TAIL ? 0 : (left - ET_TILE_TAIL) / ET_TILE_ROWS + 1;
  const size_t next = et_tile_height(left - whole * ET_TILE_ROWS);
  return whole == 0 || next == ET_TILE_ROWS ? whole + 1 : whole;
}

/* Maximum number of tiles for `rows` rows: the tail may need one tile more than ceil(rows /
 * ET_TILE_ROWS). */
#define ET_MAX_TILES(rows) (((rows) + ET_TILE_ROWS - 1) / ET_TILE_ROWS + 1)

/* Computes the first `columns` columns of `rows` rows. The table lists rows in tiles of
 * et_tile_height. `start` is padded to whole panels. `out` and `residual` are not accessed beyond
 * `columns`. */
void ET_CPU_NAME(et_cpu_tiles)(const et_tiles *tiles, size_t rows,
                               size_t columns);

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_H_ */
