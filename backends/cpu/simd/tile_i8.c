#include "backends/cpu/simd/tile_i8.h"

#define VECTORS ET_PANEL_VECTORS
typedef et_i32 sums_of_tile[ET_I8_ROWS][VECTORS];

/* Sixteen bytes at a time. */
#define BYTES 16
typedef uint8_t bytes __attribute__((vector_size(BYTES)));
typedef int16_t pairs __attribute__((vector_size(BYTES)));

/* Where a row of a tile goes: its quads are `stride` words apart. */
typedef struct target {
  int32_t *words;
  size_t stride;
} target;

/* Elements 0 and 2 of each quad as int16, then 1 and 3: weights in quads are
 * widened in the same order by two shifts. */
ET_INLINE void put_wide(const target *to, bytes x, size_t quads,
                        bool is_signed) {
  const pairs words = (pairs)x;
  const pairs even = is_signed ? words << 8 >> 8 : words & 255;
  const pairs odd = is_signed ? words >> 8 : (words >> 8) & 255;
  int32_t low[4];
  int32_t high[4];
  memcpy(low, &even, sizeof(low));
  memcpy(high, &odd, sizeof(high));
  for (size_t i = 0; i < quads; i++) {
    to->words[i * to->stride] = low[i];
    to->words[i * to->stride + 1] = high[i];
  }
}

ET_INLINE void put_bytes(const target *to, bytes x, size_t quads) {
  int32_t words[4];
  memcpy(words, &x, sizeof(words));
  for (size_t i = 0; i < quads; i++) {
    to->words[i * to->stride] = words[i];
  }
}

/* One piece of a row; `flip` is 128 where the dtype's shift is not wanted. */
ET_INLINE void put_piece(target to, const uint8_t *from, size_t size,
                         bool is_wide, bool is_signed, uint8_t flip) {
  const bytes flips = {flip, flip, flip, flip, flip, flip, flip, flip,
                       flip, flip, flip, flip, flip, flip, flip, flip};
  for (size_t at = 0; at < size; at += BYTES) {
    const size_t left = size - at;
    const size_t quads = left < BYTES ? (left + 3) / 4 : 4;
    bytes x = {0};
    if (left < BYTES) {
      memcpy(&x, from + at, left);
    } else {
      memcpy(&x, from + at, BYTES);
    }
    if (is_wide) {
      put_wide(&to, x, quads, is_signed);
    } else {
      put_bytes(&to, x ^ flips, quads);
    }
    to.words += quads * to.stride;
  }
}

ET_INLINE void put_row(target to, const et_rows_i8 *from, size_t row,
                       bool is_wide, bool is_signed, uint8_t flip) {
  const size_t quads = (from->size + 3) / 4;
  for (size_t i = 0; i < from->count; i++) {
    put_piece(to, from->pieces[row * from->count + i], from->size, is_wide,
              is_signed, flip);
    to.words += quads * to.stride;
  }
}

static void put_any_row(target to, const et_rows_i8 *from, size_t row,
                        bool is_wide) {
  if (is_wide && from->is_signed) {
    put_row(to, from, row, true, true, 0);
  } else if (is_wide) {
    put_row(to, from, row, true, false, 0);
  } else {
    const bool is_shifted = ET_DOT4_SHIFT == (from->is_signed ? 0 : 128);
    put_row(to, from, row, false, false, is_shifted ? 0 : 128);
  }
}

/* Rows of the tile that begins at `row`: tiles are of like height. */
ET_INLINE size_t tile_rows(size_t rows, size_t row) {
  const size_t tiles = (rows + ET_I8_ROWS - 1) / ET_I8_ROWS;
  const size_t taller = rows % tiles;
  const size_t height = rows / tiles;
  return row < taller * (height + 1) ? height + 1 : height;
}

void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows, bool narrow) {
  const bool is_wide = !ET_DOT4_EXACT && !narrow;
  packed->rows = rows;
  packed->depth = from->count * ((from->size + 3) / 4);
  packed->words = is_wide ? 2 : 1;
  packed->shift = is_wide ? 0 : ET_DOT4_SHIFT - (from->is_signed ? 0 : 128);
  int32_t *tile = packed->quads;
  for (size_t row = 0; row < rows;) {
    const size_t height = tile_rows(rows, row);
    const size_t stride = height * packed->words;
    for (size_t r = 0; r < height; r++) {
      const target to = {tile + r * packed->words, stride};
      put_any_row(to, from, row + r, is_wide);
    }
    tile += packed->depth * stride;
    row += height;
  }
}

#if !ET_DOT4_EXACT
/* One half of the elements of a quad. */
ET_INLINE void add_half(const int32_t *x, int stride, const et_i16 *w, int rows,
                        sums_of_tile sums) {
  ET_UNROLL for (int r = 0; r < rows; r++) {
    et_i16 pair = (et_i16)et_i32_all(x[r * stride]);
    ET_PIN(pair);
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      sums[r][v] = et_i32_dot2(sums[r][v], pair, w[v]);
      ET_PIN(sums[r][v]);
    }
  }
}

ET_INLINE void add_wide(const int32_t *x, const int8_t *panel, size_t depth,
                        int rows, sums_of_tile sums) {
  for (size_t k = 0; k < depth; k++, x += 2 * rows, panel += 4 * ET_PANEL) {
    et_i16 even[VECTORS];
    et_i16 odd[VECTORS];
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      const et_i16 w = (et_i16)et_i8_load(panel + v * 4 * ET_CPU_LANES);
      even[v] = w << 8 >> 8;
      odd[v] = w >> 8;
      ET_PIN(even[v]);
      ET_PIN(odd[v]);
    }
    add_half(x, 2, even, rows, sums);
    add_half(x + 1, 2, odd, rows, sums);
  }
}
#endif

ET_INLINE void add_bytes(const int32_t *x, const int8_t *panel, size_t depth,
                         int rows, sums_of_tile sums) {
  for (size_t k = 0; k < depth; k++, x += rows, panel += 4 * ET_PANEL) {
    et_i8 w[VECTORS];
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      w[v] = et_i8_load(panel + v * 4 * ET_CPU_LANES);
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      const et_i8 quad = (et_i8)et_i32_all(x[r]);
      ET_UNROLL for (int v = 0; v < VECTORS; v++) {
        sums[r][v] = et_i32_dot4(sums[r][v], quad, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
  }
}

ET_INLINE void run_tile(const et_packed_i8 *p, const int32_t *x,
                        const int8_t *panel, int32_t *out, int rows) {
  sums_of_tile sums;
  ET_UNROLL for (int r = 0; r < rows; r++) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) { sums[r][v] = et_i32_all(0); }
  }
#if ET_DOT4_EXACT
  add_bytes(x, panel, p->depth, rows, sums);
#else
  if (p->words == 2) {
    add_wide(x, panel, p->depth, rows, sums);
  } else {
    add_bytes(x, panel, p->depth, rows, sums);
  }
#endif
  ET_UNROLL for (int r = 0; r < rows; r++) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      et_i32_store(out + r * ET_PANEL + v * ET_CPU_LANES, sums[r][v]);
    }
  }
}

#if defined(ET_CPU_ISA_PLAIN)
#define TILE_LIST(X) X(1) X(2)
#elif defined(ET_CPU_ISA_AVX512)
#define TILE_LIST(X) \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#else
#define TILE_LIST(X) X(1) X(2) X(3) X(4) X(5) X(6)
#endif

typedef void tile_function(const et_packed_i8 *packed, const int32_t *x,
                           const int8_t *panel, int32_t *out);

#define DEFINE_TILE(rows)                                              \
  static void run_##rows(const et_packed_i8 *packed, const int32_t *x, \
                         const int8_t *panel, int32_t *out) {          \
    run_tile(packed, x, panel, out, rows);                             \
  }
TILE_LIST(DEFINE_TILE)

#define TILE_ENTRY(rows) [rows] = run_##rows,
static tile_function *const tile_functions[ET_I8_ROWS + 1] = {
    TILE_LIST(TILE_ENTRY)};

void ET_CPU_NAME(et_cpu_sums_i8)(const et_packed_i8 *packed,
                                 const int8_t *panel, int32_t *sums) {
  const int32_t *tile = packed->quads;
  for (size_t row = 0; row < packed->rows;) {
    const size_t height = tile_rows(packed->rows, row);
    tile_functions[height](packed, tile, panel, sums + row * ET_PANEL);
    tile += packed->depth * height * packed->words;
    row += height;
  }
}
