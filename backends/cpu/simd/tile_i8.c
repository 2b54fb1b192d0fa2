#include "backends/cpu/simd/tile_i8.h"

#define VECTORS ET_PANEL_VECTORS
typedef et_i32 sums_of_tile[ET_I8_ROWS][VECTORS];

typedef uint8_t bytes __attribute__((vector_size(ET_I8_STEP)));
typedef int16_t pairs __attribute__((vector_size(ET_I8_STEP)));
typedef int32_t words __attribute__((vector_size(ET_I8_STEP)));

/* How elements are packed. */
typedef struct packing {
  bool is_wide;
  bool is_signed;
  uint8_t shift; /* what is added to bytes */
} packing;

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

ET_INLINE void put_piece(uint8_t *to, const uint8_t *from, size_t size,
                         const uint8_t *end, const packing *p) {
  const bytes shifts = (bytes){0} + p->shift;
  for (size_t at = 0; at < size; at += ET_I8_STEP) {
    const bytes x = load_step(from + at, size - at, end);
    if (p->is_wide) {
      put_wide(to + 2 * at, x, p->is_signed);
    } else {
      const bytes shifted = x + shifts;
      memcpy(to + at, &shifted, sizeof(shifted));
    }
  }
}

/* Each piece overwrites what the one before wrote too much. */
ET_INLINE void put_rows(et_packed_i8 *packed, const et_rows_i8 *from,
                        const packing *p) {
  const size_t stride = (from->size + 3) / 4 * 4 * packed->words;
  const size_t count = packed->rows * from->count;
  for (size_t i = 0; i < count; i++) {
    put_piece(packed->bytes + i * stride, from->pieces[i], from->size,
              from->end, p);
  }
}

/* Where products of bytes saturate, small elements keep them from it; elsewhere
 * all there may be are made unsigned, or signed. */
static int32_t shift_of(const et_rows_i8 *from) {
  return ET_DOT4_EXACT ? ET_DOT4_SHIFT - (from->is_signed ? 0 : 128)
                       : -from->lowest;
}

void ET_CPU_NAME(et_cpu_pack_i8)(et_packed_i8 *packed, const et_rows_i8 *from,
                                 size_t rows) {
  const bool is_wide = !ET_DOT4_EXACT && !from->narrow;
  packed->rows = rows;
  packed->depth = from->count * ((from->size + 3) / 4);
  packed->words = is_wide ? 2 : 1;
  packed->shift = is_wide ? 0 : shift_of(from);
  if (is_wide && from->is_signed) {
    put_rows(packed, from, &(packing){true, true, 0});
  } else if (is_wide) {
    put_rows(packed, from, &(packing){true, false, 0});
  } else {
    put_rows(packed, from, &(packing){false, false, (uint8_t)packed->shift});
  }
}

/* The rows of a tile, in threes: an address of each would take more registers
 * than there are. */
typedef struct cursor {
  const int32_t *three[ET_I8_ROWS / 3];
  size_t stride;
} cursor;

ET_INLINE et_i32 word_of(const cursor *at, int row, size_t word) {
  return et_i32_all(at->three[row / 3][(size_t)(row % 3) * at->stride + word]);
}

ET_INLINE void advance(cursor *at, int rows, size_t words_) {
  ET_UNROLL for (int i = 0; i < (rows + 2) / 3; i++) { at->three[i] += words_; }
}

#if !ET_DOT4_EXACT
/* One half of the elements of a quad: weights `shift` bits to the left. */
ET_INLINE void add_half(const cursor *at, size_t word, const int8_t *panel,
                        int shift, int rows, sums_of_tile sums) {
  et_i16 w[VECTORS];
  ET_UNROLL for (int v = 0; v < VECTORS; v++) {
    w[v] = (et_i16)et_i8_load(panel + v * 4 * ET_CPU_LANES) << shift >> 8;
    ET_PIN(w[v]);
  }
  ET_UNROLL for (int r = 0; r < rows; r++) {
    et_i16 pair = (et_i16)word_of(at, r, word);
    ET_PIN(pair);
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      sums[r][v] = et_i32_dot2(sums[r][v], pair, w[v]);
      ET_PIN(sums[r][v]);
    }
  }
}

ET_INLINE void add_wide(cursor at, const int8_t *panel, size_t depth, int rows,
                        sums_of_tile sums) {
  for (size_t k = 0; k < depth; k++, panel += 4 * ET_PANEL) {
    add_half(&at, 0, panel, 8, rows, sums);
    add_half(&at, 1, panel, 0, rows, sums);
    advance(&at, rows, 2);
  }
}
#endif

ET_INLINE void add_bytes(cursor at, const int8_t *panel, size_t depth, int rows,
                         sums_of_tile sums) {
  for (size_t k = 0; k < depth; k++, panel += 4 * ET_PANEL) {
    et_i8 w[VECTORS];
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      w[v] = et_i8_load(panel + v * 4 * ET_CPU_LANES);
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      const et_i8 quad = (et_i8)word_of(&at, r, 0);
      ET_UNROLL for (int v = 0; v < VECTORS; v++) {
        sums[r][v] = et_i32_dot4(sums[r][v], quad, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
    advance(&at, rows, 1);
  }
}

/* What all tiles of a block have in common. */
typedef struct block {
  const et_packed_i8 *packed;
  const int8_t *panel;
  const et_requantizer *requantizer; /* NULL: sums are wanted */
  const et_target_i8 *target;
  int32_t *sums;
} block;

ET_INLINE void add_products(const block *b, size_t row, int rows,
                            sums_of_tile sums) {
  const et_packed_i8 *p = b->packed;
  cursor at = {.stride = p->depth * p->words};
  const int32_t *first =
      (const int32_t *)(const void *)p->bytes + row * at.stride;
  ET_UNROLL for (int i = 0; i < (rows + 2) / 3; i++) {
    at.three[i] = first + 3 * (size_t)i * at.stride;
  }
#if ET_DOT4_EXACT
  add_bytes(at, b->panel, p->depth, rows, sums);
#else
  if (p->words == 2) {
    add_wide(at, b->panel, p->depth, rows, sums);
  } else {
    add_bytes(at, b->panel, p->depth, rows, sums);
  }
#endif
}

ET_INLINE void put_bytes(const block *b, size_t row, int rows,
                         sums_of_tile sums) {
  uint8_t *out = b->target->out + row * b->target->stride;
  ET_UNROLL for (int r = 0; r < rows; r++, out += b->target->stride) {
    et_store_panel(out, et_requantize(b->requantizer, sums[r]),
                   b->target->columns);
  }
}

ET_INLINE void put_sums(const block *b, size_t row, int rows,
                        sums_of_tile sums) {
  ET_UNROLL for (int r = 0; r < rows; r++) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      const size_t at = (row + (size_t)r) * ET_PANEL;
      et_i32_store(b->sums + at + v * ET_CPU_LANES, sums[r][v]);
    }
  }
}

ET_INLINE void run_tile(const block *b, size_t row, int rows) {
  sums_of_tile sums;
  ET_UNROLL for (int v = 0; v < VECTORS; v++) {
    const et_i32 start =
        b->requantizer == NULL ? et_i32_all(0) : b->requantizer->start[v];
    ET_UNROLL for (int r = 0; r < rows; r++) { sums[r][v] = start; }
  }
  add_products(b, row, rows, sums);
  if (b->requantizer == NULL) {
    put_sums(b, row, rows, sums);
  } else {
    put_bytes(b, row, rows, sums);
  }
}

#if defined(ET_CPU_ISA_PLAIN)
#define TILE_LIST(X) X(1) X(2) X(3)
#elif defined(ET_CPU_ISA_AVX512)
#define TILE_LIST(X) \
  X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
#else
#define TILE_LIST(X) X(1) X(2) X(3) X(4) X(5) X(6)
#endif

typedef void tile_function(const block *b, size_t row);

#define DEFINE_TILE(rows) \
  static void run_##rows(const block *b, size_t row) { run_tile(b, row, rows); }
TILE_LIST(DEFINE_TILE)

#define TILE_ENTRY(rows) [rows] = run_##rows,
static tile_function *const tile_functions[ET_I8_ROWS + 1] = {
    TILE_LIST(TILE_ENTRY)};

/* Tiles are of like height. */
static void run_block(const block *b) {
  const size_t rows = b->packed->rows;
  const size_t tiles = (rows + ET_I8_ROWS - 1) / ET_I8_ROWS;
  for (size_t i = 0, row = 0; i < tiles; i++) {
    const size_t height = rows / tiles + (i < rows % tiles ? 1 : 0);
    tile_functions[height](b, row);
    row += height;
  }
}

void ET_CPU_NAME(et_cpu_sums_i8)(const et_packed_i8 *packed,
                                 const int8_t *panel, int32_t *sums) {
  const block b = {.packed = packed, .panel = panel, .sums = sums};
  run_block(&b);
}

void ET_CPU_NAME(et_cpu_tiles_i8)(const et_packed_i8 *packed,
                                  const int8_t *panel,
                                  const et_requantizer *requantizer,
                                  const et_target_i8 *target) {
  const block b = {packed, panel, requantizer, target, NULL};
  run_block(&b);
}
