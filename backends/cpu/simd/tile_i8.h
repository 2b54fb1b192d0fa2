/* Exact sums of products of bytes: rows that are packed once, times one panel of
 * weights after the other. */
#ifndef BACKENDS_CPU_SIMD_TILE_I8_H_
#define BACKENDS_CPU_SIMD_TILE_I8_H_

#include <stdbool.h>

#include "backends/cpu/simd/simd_i8.h"

/* Most rows of a tile, and of a block of tiles. */
#if defined(ET_CPU_ISA_PLAIN)
#define ET_I8_ROWS 2
#elif defined(ET_CPU_ISA_AVX512)
#define ET_I8_ROWS 12
#else
#define ET_I8_ROWS 6
#endif
#define ET_I8_BLOCK_ROWS 24

/* Bytes that a block of rows is packed in: as they are, or as int16. */
#define ET_I8_PACKED_BYTES 32768

/* Most groups of four summands: one row of int16 fits. */
#define ET_I8_MOST_QUADS (ET_I8_PACKED_BYTES / 8)

/* Rows in tiles. A quad is four elements of a row; a row of a quad follows the
 * other in a tile. */
typedef struct et_packed_i8 {
  int32_t quads[ET_I8_PACKED_BYTES / 4] __attribute__((aligned(64)));
  size_t rows;
  size_t depth;  /* quads of a row */
  size_t words;  /* int32 of a quad: 1, or 2 as int16 */
  int32_t shift; /* what was added to each element */
} et_packed_i8;

/* What rows look like before: pieces of `size` elements, each padded to quads. */
typedef struct et_rows_i8 {
  const uint8_t *const *pieces; /* [row][count] */
  size_t count;
  size_t size;
  bool is_signed;
} et_rows_i8;

/* Rows that fit a block. */
ET_INLINE size_t et_i8_block_rows(size_t depth) {
  const size_t fit = ET_I8_MOST_QUADS / (depth > 0 ? depth : 1);
  const size_t most = fit < ET_I8_BLOCK_ROWS ? fit : ET_I8_BLOCK_ROWS;
  return most > ET_I8_ROWS ? most - most % ET_I8_ROWS : most;
}

/* narrow: no two neighbours among the weights saturate et_i32_dot4. */
void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows, bool narrow);

/* sums[row][16] of one panel [depth][16][4]. */
void ET_CPU_NAME(et_cpu_sums_i8)(const et_packed_i8 *packed,
                                 const int8_t *panel, int32_t *sums);

#endif /* BACKENDS_CPU_SIMD_TILE_I8_H_ */
