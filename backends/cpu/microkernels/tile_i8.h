/* Exact int8 GEMM of packed rows, with or without requantization.
 *
 *   s[m, n] = sum over k of x[m, k] * w[k, n]    (int32)
 *
 * K is split into quads (groups of 4 elements). Weights are panels of 16 columns,
 * [panel][quad][16][4]:
 *   quad 0: w[0..3][n=0] w[0..3][n=1] ... w[0..3][n=15]
 *   quad 1: w[4..7][n=0] w[4..7][n=1] ... w[4..7][n=15]
 * Instruction sets with exact dot products of quads (ET_DOT4_EXACT) read rows by address. Their
 * tiles have 6 rows by 16 columns (AVX-VNNI, NEON), 2 by 16 (WebAssembly), or up to 8 by 32 or 6 by
 * 64 (AVX-512). AVX2 packs a block of up to 96 rows, in tiles of 6 by 16. Rows are int8 if products
 * can be added in int16, and int16 otherwise. Plain C has tiles of 3 by 16, and WebAssembly without
 * exact dot products 2 by 16. Accumulators fill the registers. Dot
 * products are the bottleneck; the cost of packing is amortized over all columns. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_I8_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_I8_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/requantize.h"

/* Maximum rows of a tile, and of a block of tiles. */
#if defined(ET_CPU_ISA_WASM_SIMD128)
#define ET_I8_ROWS 2
#elif defined(ET_CPU_ISA_PLAIN)
#define ET_I8_ROWS 3
#elif defined(ET_CPU_ISA_AVX512)
#define ET_I8_ROWS 8
#else
#define ET_I8_ROWS 6
#endif
#define ET_I8_BLOCK_ROWS 96

/* Maximum panels of a tile. If a panel is one vector, several panels share each load of the
 * rows. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_I8_PANELS 4
#else
#define ET_I8_PANELS 1
#endif

/* Returns the number of panels of the next tiles, 1, 2 or 4, for `columns` remaining columns. Only
 * the last panel may be partial. */
ET_INLINE size_t et_i8_panels(size_t columns) {
  return columns <= ET_CPU_PANEL || ET_I8_PANELS == 1 ? 1
         : columns <= 3 * ET_CPU_PANEL                ? 2
                                                      : 4;
}

/* Size in bytes of a packed block of rows, as int8 or int16. With AVX2, a block exceeds the L1
 * cache, because weights are widened once for all of its rows. */
#if ET_SUMS_OF_16
#define ET_I8_PACKED_BYTES 65536
#else
#define ET_I8_PACKED_BYTES 32768
#endif
#define ET_I8_QUAD_BYTES (ET_DOT4_EXACT ? 4 : 8)

/* Maximum depth in quads. One row of this depth fits in a block. */
#define ET_I8_MAX_QUADS (ET_I8_PACKED_BYTES / ET_I8_QUAD_BYTES)

/* Maximum number of row addresses of a block, with ET_DOT4_EXACT. */
#define ET_I8_ADDRESSES 1536

/* Number of bytes that are packed at once. The last step of a row may extend beyond its end. */
#define ET_I8_STEP 16

#if ET_SUMS_OF_16
/* Minimum number of rows for subtracting row minima. With fewer rows, checking that products fit in
 * int16 takes longer than it saves. */
#define ET_I8_MINIMA_MIN_ROWS 16
/* Minimum depth in quads. In shorter rows, steps would overlap, and each would wait for the
 * previous store. */
#define ET_I8_MINIMA_MIN_QUADS (ET_I8_STEP / 4)
#define ET_I8_MINIMA_MAX_QUADS (ET_I8_PACKED_BYTES / 12 / ET_I8_MINIMA_MIN_ROWS)
#endif

/* Packed rows. A quad of a row is one word of int8 values, or two words of int16 values: elements 0
 * and 2, then elements 1 and 3. */
typedef struct et_packed_i8 {
  uint8_t bytes[ET_I8_PACKED_BYTES + 2 * ET_I8_STEP]
      __attribute__((aligned(64)));
  size_t rows;
  size_t depth;  /* quads per row */
  int32_t shift; /* added to each element */
#if ET_DOT4_EXACT
  /* [runs][rows]: address of the first byte of each run of each row, in `bytes` or elsewhere. A run
   * has `quads` consecutive quads. Quads are XORed with `flip` when they are loaded. */
  const uint8_t *from[ET_I8_ADDRESSES];
  size_t runs;
  size_t quads; /* quads per run; `depth` is the total over all runs */
  int32_t flip;
#else
  const uint8_t *first;   /* first row, in `bytes` */
  size_t words;           /* words per quad */
  size_t max_exact_terms; /* see et_rows_i8 */
#endif
#if ET_SUMS_OF_16
  bool has_minima; /* elements are relative to `minima` */
  bool has_wide;   /* `bytes` has int16 rows before the int8 rows */
  int16_t minima[4 * ET_I8_MINIMA_MAX_QUADS +
                 ET_I8_STEP] /* one row, with two words per quad */
      __attribute__((aligned(64)));
  uint8_t spans[4 * ET_I8_MINIMA_MAX_QUADS +
                2 * ET_I8_STEP];        /* ranges of the elements */
  uint16_t far[ET_I8_MINIMA_MAX_QUADS]; /* quads to check; see row_minima.h */
  size_t far_count;
#endif
} et_packed_i8;

/* Lines of equal size, `stride` bytes apart. */
typedef struct et_piece_i8 {
  const uint8_t *from;
  size_t size; /* bytes per line */
  size_t lines;
  size_t stride;
} et_piece_i8;

/* Rows of `size` elements before packing, as a sequence of pieces. If `size` is not a multiple of
 * four, each row ends at the end of a piece. Each line is in the buffer that ends at `end`, or is
 * followed by ET_I8_STEP readable bytes. */
typedef struct et_rows_i8 {
  const et_piece_i8 *pieces;
  size_t count; /* number of pieces of all rows */
  size_t size;
  const uint8_t *end;
  bool is_signed;
  /* Number t of consecutive quads whose products fit in int16 once `min_value` is subtracted from
   * x; 0 if none. For the weights w in one half of any t quads that start at a multiple of t (one
   * int16 lane): max(sum(max(w, 0)), sum(max(-w, 0))) * (max(x) - min_value) <= 32767. */
  size_t max_exact_terms;
  int32_t min_value;
  bool may_have_minima; /* whether rows are multiplied by whole panels only */
} et_rows_i8;

/* Destination and requantization of the results of several panels. Only the first `columns` columns
 * of each row are stored. */
typedef struct et_target_i8 {
  uint8_t *out;
  size_t stride;
  size_t columns;
  const et_requantizer *requantizers; /* one requantizer per panel */
  bool is_far; /* whether is_far is set in any requantizer */
  const et_rounder *rounder;
} et_target_i8;

#if ET_DOT4_EXACT
/* Sets the XOR mask that makes rows unsigned, or signed without et_dot4_shift() when they are read in place. */
ET_INLINE void et_set_flip_i8(et_packed_i8 *packed, bool is_signed) {
  packed->shift = et_dot4_shift() - (is_signed ? 0 : 128);
  packed->flip = packed->shift == 0 ? 0 : (int32_t)0x80808080;
}
#endif

/* Returns the number of rows of depth `depth` that fit in a block. */
ET_INLINE size_t et_i8_block_rows(size_t depth) {
  const size_t fit = ET_I8_MAX_QUADS / (depth > 0 ? depth : 1);
  const size_t max = fit < ET_I8_BLOCK_ROWS ? fit : ET_I8_BLOCK_ROWS;
  return max > ET_I8_ROWS ? max - max % ET_I8_ROWS : max;
}

void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows);

#if ET_SUMS_OF_16
/* Selects the element type of rows with row minima before they are multiplied by `panel`: int8 if
 * products can be added in int16, and int16 otherwise. */
void ET_CPU_NAME(et_cpu_fit_i8)(et_packed_i8 *packed, const int8_t *panel);
#endif

/* Computes sums[row][16] for one panel, [depth][16][4]. */
void ET_CPU_NAME(et_cpu_sums_i8)(const et_packed_i8 *packed,
                                 const int8_t *panel, int32_t *sums);

/* Computes and requantizes the sums of et_i8_panels(target->columns) panels. */
void ET_CPU_NAME(et_cpu_tiles_i8)(const et_packed_i8 *packed,
                                  const int8_t *panels,
                                  const et_target_i8 *target);

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_I8_H_ */
