#include "backends/cpu/simd/tile_i8.h"

typedef uint8_t bytes __attribute__((vector_size(ET_I8_STEP)));
#if !ET_DOT4_EXACT
typedef int16_t pairs __attribute__((vector_size(ET_I8_STEP)));
typedef int32_t words __attribute__((vector_size(ET_I8_STEP)));
#endif

/* ET_I8_STEP bytes, of which `count` are wanted. */
ET_INLINE bytes load_step(const uint8_t *from, size_t count,
                          const uint8_t *end) {
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
    const bytes x = load_step(from + at, size - at, end) + shift;
    memcpy(to + at, &x, sizeof(x));
  }
}

/* Lines of one step that have a whole one to read, as of pictures of few channels. */
ET_INLINE void put_short_lines(uint8_t *to, const et_piece_i8 *piece,
                               uint8_t shift) {
  const uint8_t *from = piece->from;
  for (size_t i = 0; i < piece->lines; i++, from += piece->stride) {
    const bytes x = load_step(from, ET_I8_STEP, from) + shift;
    memcpy(to, &x, sizeof(x));
    to += piece->size;
  }
}

/* Each line overwrites what the one before wrote too much. */
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

/* Rows as they are, each padded to quads by anything, as weights there are 0. */
ET_INLINE void put_rows(uint8_t *to, const et_rows_i8 *from, uint8_t shift) {
  const size_t padding = (4 - from->size % 4) % 4;
  size_t done = 0; /* of the row */
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
/* Elements 0 and 2 of each quad as int16, then 1 and 3: weights in quads are
 * widened in the same order by two shifts. */
ET_INLINE void put_wide(uint8_t *to, bytes x, bool is_signed) {
  const pairs both = (pairs)x;
  const words even = (words)(is_signed ? both << 8 >> 8 : both & 255);
  const words odd = (words)(is_signed ? both >> 8 : (both >> 8) & 255);
  const words low = __builtin_shufflevector(even, odd, 0, 4, 1, 5);
  const words high = __builtin_shufflevector(even, odd, 2, 6, 3, 7);
  memcpy(to, &low, sizeof(low));
  memcpy(to + sizeof(low), &high, sizeof(high));
}

/* Makes int16 of `size` bytes, from the end of twice as many on: what is written
 * never reaches what is not read yet. */
ET_INLINE void widen_rows(uint8_t *rows, size_t size, bool is_signed) {
  for (size_t at = 0; at < size; at += ET_I8_STEP) {
    bytes x;
    memcpy(&x, rows + size + at, sizeof(x));
    put_wide(rows + 2 * at, x, is_signed);
  }
}

static void pack_wide(et_packed_i8 *packed, const et_rows_i8 *from) {
  const size_t size = packed->rows * packed->depth * 4;
  put_rows(packed->bytes + size, from, 0);
  if (from->is_signed) {
    widen_rows(packed->bytes, size, true);
  } else {
    widen_rows(packed->bytes, size, false);
  }
}
#endif

#if ET_DOT4_EXACT
/* All elements there may be are made unsigned, or signed. */
void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows) {
  packed->rows = rows;
  packed->depth = packed->quads = (from->size + 3) / 4;
  packed->shift = ET_DOT4_SHIFT - (from->is_signed ? 0 : 128);
  packed->flip = 0;
  packed->runs = 1;
  for (size_t r = 0; r < rows; r++) {
    packed->from[r] = packed->bytes + r * packed->depth * 4;
  }
  put_rows(packed->bytes, from, (uint8_t)packed->shift);
}
#else
/* Small elements keep products from saturating. */
void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows) {
  packed->rows = rows;
  packed->together = from->together;
  packed->depth = (from->size + 3) / 4;
  if (from->together == 0) {
    packed->words = 2;
    packed->shift = 0;
    pack_wide(packed, from);
    return;
  }
  packed->words = 1;
  packed->shift = -from->lowest;
  put_rows(packed->bytes, from, (uint8_t)packed->shift);
}
#endif
