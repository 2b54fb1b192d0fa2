/* Packs rows of int8 or uint8 values for the tiles of tile_i8.h, ET_I8_STEP bytes at a time.
 *
 * A row is a sequence of pieces and is padded to whole quads. The packed forms are:
 * - ET_DOT4_EXACT: [row][quad][4], unsigned, or signed if et_dot4_shift() is 0.
 * - Products that fit in int16: [row][quad][4], relative to `min_value`, or to the minima of the
 *   rows (row_minima.h).
 * - Otherwise: int16, [row][quad][2 words]: elements 0 and 2, then elements 1 and 3. */
#include "backends/cpu/microkernels/row_minima.h"

typedef uint8_t bytes __attribute__((vector_size(ET_I8_STEP)));
#if !ET_DOT4_EXACT
typedef int16_t pairs __attribute__((vector_size(ET_I8_STEP)));
typedef int32_t words __attribute__((vector_size(ET_I8_STEP)));
#endif

/* Loads ET_I8_STEP bytes, or only `count` bytes if a whole step would reach beyond `end`. */
ET_INLINE bytes load_op(const uint8_t *from, size_t count, const uint8_t *end) {
  bytes x = {0};
  if (count >= ET_I8_STEP || (uintptr_t)from + ET_I8_STEP <= (uintptr_t)end) {
    memcpy(&x, from, sizeof(x));
  } else {
    memcpy(&x, from, count);
  }
  return x;
}

ET_INLINE void put_line(uint8_t *to, const uint8_t *from, size_t size,
                        const uint8_t *end, uint8_t shift) {
  size_t at = 0;
  for (; at + sizeof(et_u8) <= size; at += sizeof(et_u8)) {
    et_u8 x;
    memcpy(&x, from + at, sizeof(x));
    x += shift;
    memcpy(to + at, &x, sizeof(x));
  }
  for (; at < size; at += ET_I8_STEP) {
    const bytes x = load_op(from + at, size - at, end) + shift;
    memcpy(to + at, &x, sizeof(x));
  }
}

/* Copies lines of at most one step. All lines are readable in whole steps. Images with few channels
 * have such lines. */
ET_INLINE void put_short_lines(uint8_t *to, const et_piece_i8 *piece,
                               uint8_t shift) {
  const uint8_t *from = piece->from;
  for (size_t i = 0; i < piece->lines; i++, from += piece->stride) {
    const bytes x = load_op(from, ET_I8_STEP, from) + shift;
    memcpy(to, &x, sizeof(x));
    to += piece->size;
  }
}

/* Copies a piece. Each line overwrites the excess bytes of the line before it. */
ET_INLINE void put_piece(uint8_t *to, const et_piece_i8 *piece,
                         const uint8_t *end, uint8_t shift) {
  const size_t last = (piece->lines - 1) * piece->stride;
  if (piece->size <= ET_I8_STEP &&
      (uintptr_t)piece->from + last + ET_I8_STEP <= (uintptr_t)end) {
    put_short_lines(to, piece, shift);
    return;
  }
  for (size_t i = 0; i < piece->lines; i++, to += piece->size) {
    put_line(to, piece->from + i * piece->stride, piece->size, end, shift);
  }
}

/* Copies rows. Rows are padded to quads. The padding values are arbitrary, because their weights
 * are 0. */
ET_INLINE void put_rows(uint8_t *to, const et_rows_i8 *from, uint8_t shift) {
  const size_t padding = (4 - from->size % 4) % 4;
  size_t done = 0; /* bytes of the row */
  for (size_t i = 0; i < from->count; i++) {
    const et_piece_i8 *piece = &from->pieces[i];
    const size_t size = piece->lines * piece->size;
    put_piece(to, piece, from->end, shift);
    to += size;
    done += size;
    if (done >= from->size) {
      to += padding;
      done = 0;
    }
  }
}

#if !ET_DOT4_EXACT
/* Widens elements 0 and 2 of each quad to int16, then elements 1 and 3. Weights are widened in the
 * same order, with two shifts. */
ET_INLINE void put_wide(uint8_t *to, bytes x, bool is_signed) {
  const pairs both = (pairs)x;
  const words even = (words)(is_signed ? both << 8 >> 8 : both & 255);
  const words odd = (words)(is_signed ? both >> 8 : (both >> 8) & 255);
  const words low = __builtin_shufflevector(even, odd, 0, 4, 1, 5);
  const words high = __builtin_shufflevector(even, odd, 2, 6, 3, 7);
  memcpy(to, &low, sizeof(low));
  memcpy(to + sizeof(low), &high, sizeof(high));
}

/* Widens `size` bytes to int16. The source may be at the end of the destination buffer, because
 * writes do not overtake reads. */
ET_INLINE void widen_rows(uint8_t *to, const uint8_t *from, size_t size,
                          bool is_signed) {
  for (size_t at = 0; at < size; at += ET_I8_STEP) {
    bytes x;
    memcpy(&x, from + at, sizeof(x));
    put_wide(to + 2 * at, x, is_signed);
  }
}

static void pack_wide(et_packed_i8 *packed, const et_rows_i8 *from) {
  const size_t size = packed->rows * packed->depth * 4;
  put_rows(packed->bytes + size, from, 0);
  if (from->is_signed) {
    widen_rows(packed->bytes, packed->bytes + size, size, true);
  } else {
    widen_rows(packed->bytes, packed->bytes + size, size, false);
  }
}
#endif

#if ET_SUMS_OF_16
/* Returns whether row minima can be subtracted. The buffer must have space for both the int8 and
 * the int16 rows. */
static bool may_have_minima(const et_packed_i8 *packed,
                            const et_rows_i8 *from) {
  return from->max_exact_terms == 0 && from->may_have_minima &&
         packed->rows >= ET_I8_MINIMA_MIN_ROWS &&
         packed->depth >= ET_I8_MINIMA_MIN_QUADS &&
         packed->rows * packed->depth * 12 + 2 * ET_I8_STEP <=
             ET_I8_PACKED_BYTES;
}

/* Returns the int8 rows, which follow the int16 rows. The int16 rows are written in whole steps. */
static uint8_t *bytes_of_both(et_packed_i8 *packed) {
  const size_t size = packed->rows * packed->depth * 4;
  const size_t steps = (size + ET_I8_STEP - 1) / ET_I8_STEP;
  return packed->bytes + 2 * steps * ET_I8_STEP;
}

/* Packs rows as int8 values. Widens them to int16 now, or later if a panel requires it. */
static void pack_both(et_packed_i8 *packed, const et_rows_i8 *from) {
  const size_t size = packed->rows * packed->depth * 4;
  uint8_t *rows = bytes_of_both(packed);
  uint8_t minima[4 * ET_I8_MINIMA_MAX_QUADS + ET_I8_STEP];
  packed->shift = from->is_signed ? 128 : 0;
  put_rows(rows, from, (uint8_t)packed->shift);
  if (!et_has_small_ranges_i8(rows, packed->rows, 4 * packed->depth)) {
    widen_rows(packed->bytes, rows, size, false);
    packed->words = 2;
    return;
  }
  et_subtract_minima_i8(packed, rows, minima);
  widen_rows((uint8_t *)packed->minima, minima, 4 * packed->depth, false);
  packed->has_minima = true;
  packed->has_wide = false;
}

void ET_CPU_NAME(et_cpu_fit_i8)(et_packed_i8 *packed, const int8_t *panel) {
  const size_t size = packed->rows * packed->depth * 4;
  if (!packed->has_minima) {
    return;
  }
  const uint8_t *rows = bytes_of_both(packed);
  packed->words = et_fits_int16_i8(packed, panel) ? 1 : 2;
  packed->first = packed->words == 1 ? rows : packed->bytes;
  if (packed->words == 2 && !packed->has_wide) {
    widen_rows(packed->bytes, rows, size, false);
    packed->has_wide = true;
  }
}
#endif

#if ET_DOT4_EXACT
/* Packs rows as unsigned bytes, or as signed ones if et_dot4_shift() is 0. */
void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows) {
  packed->rows = rows;
  packed->depth = packed->quads = (from->size + 3) / 4;
  packed->shift = et_dot4_shift() - (from->is_signed ? 0 : 128);
  packed->flip = 0;
  packed->runs = 1;
  for (size_t r = 0; r < rows; r++) {
    packed->from[r] = packed->bytes + r * packed->depth * 4;
  }
  put_rows(packed->bytes, from, (uint8_t)packed->shift);
}
#else
/* If products are added in int16, `min_value` is subtracted from all elements, so that sums do not
 * saturate. */
void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows) {
  packed->rows = rows;
  packed->first = packed->bytes;
  packed->max_exact_terms = from->max_exact_terms;
  packed->depth = (from->size + 3) / 4;
#if ET_SUMS_OF_16
  packed->has_minima = false;
  if (may_have_minima(packed, from)) {
    pack_both(packed, from);
    return;
  }
#endif
  if (from->max_exact_terms == 0) {
    packed->words = 2;
    packed->shift = 0;
    pack_wide(packed, from);
    return;
  }
  packed->words = 1;
  packed->shift = -from->min_value;
  put_rows(packed->bytes, from, (uint8_t)packed->shift);
}
#endif
