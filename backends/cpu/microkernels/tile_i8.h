/* Exact sums of products of bytes, perhaps made bytes again: rows that are packed once,
 * times some panels of weights after the others. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_I8_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_I8_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/requantize.h"

/* Most rows of a tile, a multiple of three where sums are not exact, and of a block of
 * tiles. */
#if defined(ET_CPU_ISA_PLAIN)
#define ET_I8_ROWS 3
#elif defined(ET_CPU_ISA_AVX512)
#define ET_I8_ROWS 8
#else
#define ET_I8_ROWS 6
#endif
#define ET_I8_BLOCK_ROWS 96

/* Most panels of a tile: of one vector each, several share what is loaded of rows. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_I8_PANELS 4
#else
#define ET_I8_PANELS 1
#endif

/* Panels of the next tiles, of so many columns: one, two or four, of which the last one
 * is not for nothing. */
ET_INLINE size_t et_i8_panels(size_t columns) {
  return columns <= ET_PANEL || ET_I8_PANELS == 1 ? 1
         : columns <= 3 * ET_PANEL                ? 2
                                                  : 4;
}

/* Bytes that a block of rows is packed in: as they are, or as int16. Those of AVX2 lie
 * beyond the first-level cache, as weights are widened once for all rows of a block. */
#if ET_SUMS_OF_16
#define ET_I8_PACKED_BYTES 65536
#else
#define ET_I8_PACKED_BYTES 32768
#endif
#define ET_I8_QUAD_BYTES (ET_DOT4_EXACT ? 4 : 8)

/* Most groups of four summands: one row fits. */
#define ET_I8_MOST_QUADS (ET_I8_PACKED_BYTES / ET_I8_QUAD_BYTES)

/* Most addresses of all rows of a block, which is what they are read by where sums are
 * exact. */
#define ET_I8_ADDRESSES 1536

/* Bytes that are packed at once, which may be more than there are. */
#define ET_I8_STEP 16

#if ET_SUMS_OF_16
/* Rows from which the lowest of each element is taken: of fewer, telling whether products
 * fit takes longer than it saves. */
#define ET_I8_LEAST_LOW_ROWS 16
/* Quads of such a row: of shorter ones, storing one would wait for the one before. */
#define ET_I8_LEAST_LOW_QUADS (ET_I8_STEP / 4)
#define ET_I8_MOST_LOW_QUADS (ET_I8_PACKED_BYTES / 12 / ET_I8_LEAST_LOW_ROWS)
#endif

/* Rows, one after the other. A quad is four elements of a row, in one word or,
 * as int16, in two: elements 0 and 2, then 1 and 3. */
typedef struct et_packed_i8 {
  uint8_t bytes[ET_I8_PACKED_BYTES + 2 * ET_I8_STEP]
      __attribute__((aligned(64)));
  size_t rows;
  size_t depth;  /* quads of a row */
  int32_t shift; /* what is added to each element */
#if ET_DOT4_EXACT
  /* [runs][rows]: where each run of a row begins, `quads` quads that lie together,
   * among the bytes above or elsewhere. `flip` is what is left to turn of each. */
  const uint8_t *from[ET_I8_ADDRESSES];
  size_t runs;
  size_t quads; /* of a run: of all runs `depth` */
  int32_t flip;
#else
  const uint8_t *first;   /* row, among the bytes above */
  size_t words;           /* of a quad */
  size_t max_exact_terms; /* as that of the rows */
#endif
#if ET_SUMS_OF_16
  bool has_lows; /* elements are what they were above these: */
  bool has_wide; /* rows as int16, too, before those of bytes */
  int16_t lows[4 * ET_I8_MOST_LOW_QUADS + ET_I8_STEP] /* a row of two words */
      __attribute__((aligned(64)));
  uint8_t spans[4 * ET_I8_MOST_LOW_QUADS + 2 * ET_I8_STEP]; /* the highest */
  uint16_t far[ET_I8_MOST_LOW_QUADS]; /* quads: see lows_i8.h */
  size_t far_count;
#endif
} et_packed_i8;

/* Lines of bytes that follow each other, `stride` bytes apart. */
typedef struct et_piece_i8 {
  const uint8_t *from;
  size_t size; /* of a line */
  size_t lines;
  size_t stride;
} et_piece_i8;

/* What rows of `size` elements look like before: pieces that make them up, one
 * after the other. Rows end where a piece does, unless `size` is a multiple of
 * four. Each line lies before `end`, or has ET_I8_STEP bytes behind it. */
typedef struct et_rows_i8 {
  const et_piece_i8 *pieces;
  size_t count; /* of pieces, of all rows */
  size_t size;
  const uint8_t *end;
  bool is_signed;
  /* Of so many quads of weights, counted from the first on, both halves add up
   * to an int16, as no element is lower than `lowest`; 0: not even of one. */
  size_t max_exact_terms;
  int32_t min_value;
  bool may_have_lows; /* where rows are multiplied by whole panels alone */
} et_rows_i8;

/* Where results of panels go, the first `columns` of each row, and what makes
 * bytes of them. */
typedef struct et_target_i8 {
  uint8_t *out;
  size_t stride;
  size_t columns;
  const et_requantizer *requantizers; /* of each panel */
  bool is_far;                        /* any of them */
  const et_rounder *rounder;
} et_target_i8;

#if ET_DOT4_EXACT
/* Rows that are read where they lie: all elements there may be are made unsigned, or
 * signed, on their way. */
ET_INLINE void et_turn_i8(et_packed_i8 *packed, bool is_signed) {
  packed->shift = ET_DOT4_SHIFT - (is_signed ? 0 : 128);
  packed->flip = packed->shift == 0 ? 0 : (int32_t)0x80808080;
}
#endif

/* Rows that fit a block. */
ET_INLINE size_t et_i8_block_rows(size_t depth) {
  const size_t fit = ET_I8_MOST_QUADS / (depth > 0 ? depth : 1);
  const size_t most = fit < ET_I8_BLOCK_ROWS ? fit : ET_I8_BLOCK_ROWS;
  return most > ET_I8_ROWS ? most - most % ET_I8_ROWS : most;
}

void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows);

#if ET_SUMS_OF_16
/* Before products with a panel: has rows with lows read as bytes, or where those would not
 * do as int16. */
void ET_CPU_NAME(et_cpu_fit_i8)(et_packed_i8 *packed, const int8_t *panel);
#endif

/* sums[row][16] of one panel [depth][16][4]. */
void ET_CPU_NAME(et_cpu_sums_i8)(const et_packed_i8 *packed,
                                 const int8_t *panel, int32_t *sums);

/* The same sums as bytes, of et_i8_panels(target->columns) panels. */
void ET_CPU_NAME(et_cpu_tiles_i8)(const et_packed_i8 *packed,
                                  const int8_t *panels,
                                  const et_target_i8 *target);

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_I8_H_ */
