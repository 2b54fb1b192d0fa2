#include "backends/cpu/simd/tile_i8.h"

#define VECTORS ET_PANEL_VECTORS
typedef et_i32 sums_of_tile[ET_I8_ROWS][ET_I8_PANELS * VECTORS];

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

/* Vector `v` of quad `k` of panels, `depth` quads each. */
ET_INLINE et_i8 weights_at(const int8_t *panels, size_t depth, size_t k,
                           int v) {
  const size_t quad = (size_t)(v / VECTORS) * depth + k;
  return et_i8_load(panels + quad * 4 * ET_PANEL +
                    v % VECTORS * 4 * ET_CPU_LANES);
}

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

/* Rows of a run, all of whose quads are turned by `flip`, or as they are. */
typedef struct run {
  const uint8_t *const *from; /* of each row */
  size_t quads;
  bool is_turned; /* constant */
  et_i32 flip;
} run;

ET_INLINE et_i8 quad_of(const run *run, const uint8_t *from) {
  int32_t word;
  memcpy(&word, from, sizeof(word));
  const et_i32 all = et_i32_all(word);
  return (et_i8)(run->is_turned ? all ^ run->flip : all);
}

/* Weights are those of `panels` panels, each of all runs. */
ET_INLINE void add_run(const run *run, const int8_t *weights, size_t depth,
                       int rows, int panels, sums_of_tile sums) {
  const uint8_t *at[ET_I8_ROWS];
  ET_UNROLL for (int r = 0; r < rows; r++) { at[r] = run->from[r]; }
  for (size_t k = 0; k < 4 * run->quads; k += 4, weights += 4 * ET_PANEL) {
    et_i8 w[ET_I8_PANELS * VECTORS];
    ET_PIN_INDEX(k);
    ET_UNROLL for (int v = 0; v < panels * VECTORS; v++) {
      w[v] = weights_at(weights, depth, 0, v);
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      et_i8 quad = quad_of(run, at[r] + k);
      if (panels * VECTORS > 1) {
        ET_PIN(quad); /* is read once */
      }
      ET_UNROLL for (int v = 0; v < panels * VECTORS; v++) {
        sums[r][v] = et_i32_dot4(sums[r][v], quad, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
  }
}

ET_INLINE void add_runs(const et_packed_i8 *packed, bool is_turned,
                        const int8_t *weights, size_t row, int rows, int panels,
                        sums_of_tile sums) {
  run run = {packed->from + row, packed->quads, is_turned,
             et_i32_all(packed->flip)};
  ET_PIN(run.flip); /* else it turns words before they are spread */
  for (size_t i = 0; i < packed->runs; i++, run.from += packed->rows) {
    add_run(&run, weights, packed->depth, rows, panels, sums);
    weights += packed->quads * 4 * ET_PANEL;
  }
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

/* The rows of a tile, in threes: an address of each would take more registers
 * than there are. */
typedef struct cursor {
  const int32_t *three[ET_I8_ROWS / 3];
  size_t stride;
} cursor;

ET_INLINE et_i32 word_of(const cursor *at, int row) {
  return et_i32_all(at->three[row / 3][(size_t)(row % 3) * at->stride]);
}

/* To the next words. */
ET_INLINE void advance(cursor *at, int rows) {
  ET_UNROLL for (int i = 0; i < (rows + 2) / 3; i++) { at->three[i]++; }
}

/* Weights of a panel as int16, in the order of wide elements: they are widened
 * once for all tiles of a block, so many quads at a time. */
#define WIDE_QUADS 128
#define WIDE_QUAD (4 * ET_PANEL)

static void widen(const int8_t *panel, size_t depth, int16_t *to) {
  for (size_t k = 0; k < depth; k++, panel += WIDE_QUAD, to += WIDE_QUAD) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      const et_i16 both = (et_i16)et_i8_load(panel + v * 4 * ET_CPU_LANES);
      const et_i16 even = both << 8 >> 8;
      const et_i16 odd = both >> 8;
      memcpy(to + v * 2 * ET_CPU_LANES, &even, sizeof(even));
      memcpy(to + WIDE_QUAD / 2 + v * 2 * ET_CPU_LANES, &odd, sizeof(odd));
    }
  }
}

/* Of a single row, whose weights are widened on their way. */
ET_INLINE void add_widening(cursor at, const int8_t *panel, size_t depth,
                            et_i32 *sums) {
  for (size_t k = 0; k < depth; k++, panel += WIDE_QUAD) {
    const et_i16 even = (et_i16)word_of(&at, 0);
    advance(&at, 1);
    const et_i16 odd = (et_i16)word_of(&at, 0);
    advance(&at, 1);
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      const et_i16 both = (et_i16)et_i8_load(panel + v * 4 * ET_CPU_LANES);
      sums[v] = et_i32_dot2(sums[v], even, both << 8 >> 8);
      sums[v] = et_i32_dot2(sums[v], odd, both >> 8);
    }
  }
}

/* Half a quad a time. */
ET_INLINE void add_wide(cursor at, const int16_t *panel, size_t depth, int rows,
                        sums_of_tile sums) {
  for (size_t k = 0; k < 2 * depth; k++, panel += WIDE_QUAD / 2) {
    et_i16 w[VECTORS];
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      memcpy(&w[v], panel + v * 2 * ET_CPU_LANES, sizeof(w[v]));
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      et_i16 pair = (et_i16)word_of(&at, r);
      ET_PIN(pair);
      ET_UNROLL for (int v = 0; v < VECTORS; v++) {
        sums[r][v] = et_i32_dot2(sums[r][v], pair, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
    advance(&at, rows);
  }
}

#if ET_SUMS_OF_16
/* Rows whose sums of int16, too, have registers. */
#define WINDOW_ROWS 3

ET_INLINE void add_windows(cursor at, const int8_t *panel,
                           const et_packed_i8 *packed, int rows,
                           sums_of_tile sums) {
  for (size_t k = 0; k < packed->depth; k += packed->together) {
    const size_t left = packed->depth - k;
    size_t count = left < packed->together ? left : packed->together;
    et_i16 pairs[WINDOW_ROWS][VECTORS] = {{{0}}};
    for (; count > 0; count--, panel += 4 * ET_PANEL) {
      ET_UNROLL for (int v = 0; v < VECTORS; v++) {
        const et_i8 w = et_i8_load(panel + v * 4 * ET_CPU_LANES);
        ET_UNROLL for (int r = 0; r < rows; r++) {
          const et_i8 quad = (et_i8)word_of(&at, r);
          pairs[r][v] = et_i16_dot2(pairs[r][v], quad, w);
          ET_PIN(pairs[r][v]);
        }
      }
      advance(&at, rows);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      ET_UNROLL for (int v = 0; v < VECTORS; v++) {
        sums[r][v] = et_i32_add2(sums[r][v], pairs[r][v]);
      }
    }
  }
}
#endif

ET_INLINE void add_bytes(cursor at, const int8_t *panel, size_t depth, int rows,
                         sums_of_tile sums) {
  for (size_t k = 0; k < depth; k++) {
    et_i8 w[VECTORS];
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      w[v] = weights_at(panel, depth, k, v);
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      const et_i8 quad = (et_i8)word_of(&at, r);
      ET_UNROLL for (int v = 0; v < VECTORS; v++) {
        sums[r][v] = et_i32_dot4(sums[r][v], quad, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
    advance(&at, rows);
  }
}
#endif

/* What all tiles of a block have in common: of some quads of a panel. */
typedef struct block {
  const et_packed_i8 *packed;
  const int8_t *panels;
  const int16_t *wide; /* the panel widened, or NULL */
  size_t first;        /* quad */
  size_t depth;
  bool is_first; /* sums begin with `start`, else go on: of widened panels */
  bool is_last;
  const et_target_i8 *target; /* NULL: sums are wanted */
  int32_t *sums;
} block;

#if ET_DOT4_EXACT
ET_INLINE void add_products(const block *b, size_t row, int rows, int panels,
                            sums_of_tile sums) {
  if (b->packed->flip == 0) {
    add_runs(b->packed, false, b->panels, row, rows, panels, sums);
  } else {
    add_runs(b->packed, true, b->panels, row, rows, panels, sums);
  }
}
#else
ET_INLINE cursor cursor_of(const block *b, size_t row, int rows) {
  const et_packed_i8 *p = b->packed;
  cursor at = {.stride = p->depth * p->words};
  const int32_t *first = (const int32_t *)(const void *)p->bytes +
                         row * at.stride + b->first * p->words;
  ET_UNROLL for (int i = 0; i < (rows + 2) / 3; i++) {
    at.three[i] = first + 3 * (size_t)i * at.stride;
  }
  return at;
}

ET_INLINE void add_products(const block *b, size_t row, int rows, int panels,
                            sums_of_tile sums) {
  const cursor at = cursor_of(b, row, rows);
  (void)panels;
  if (rows == 1 && b->packed->words == 2) {
    add_widening(at, b->panels, b->depth, sums[0]);
    return;
  }
  if (b->wide != NULL) {
    add_wide(at, b->wide, b->depth, rows, sums);
    return;
  }
#if ET_SUMS_OF_16
  if (rows <= WINDOW_ROWS) {
    add_windows(at, b->panels, b->packed, rows, sums);
    return;
  }
#endif
  add_bytes(at, b->panels, b->depth, rows, sums);
}
#endif

/* Bytes of the `panels` panels of some rows: the whole of each row, or its first
 * `columns`. */
ET_INLINE void put_rows_of(uint8_t *out, size_t stride, size_t columns,
                           int rows, int panels, et_u8 bytes) {
  const int parts = ET_ROUNDED_PANELS / panels;
  const bool whole = columns >= (size_t)panels * ET_PANEL;
  ET_UNROLL for (int r = 0; r < rows; r++, out += stride) {
    if (whole) {
      et_u8_store_part(out, bytes, r, parts);
    } else {
      et_u8_store_some(out, bytes, r, parts, columns);
    }
  }
}

/* What bytes are made with is read once: to the compiler, each byte that is written may
 * be part of it. */
ET_INLINE void put_bytes(const block *b, size_t row, int rows, int panels,
                         sums_of_tile sums) {
  const et_target_i8 target = *b->target;
  const et_rounder rounder = *target.rounder;
  const int there =
      ET_ROUNDED_PANELS / panels; /* rows that are bytes at once */
  uint8_t *out = target.out + row * target.stride;
  ET_UNROLL for (int i = 0; i < rows; i += there) {
    const int left = rows - i < there ? rows - i : there;
    et_f32 steps[ET_ROUNDED];
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      const int at = v / VECTORS < left * panels ? v / VECTORS : 0;
      const et_requantizer *r = &target.requantizers[at % panels];
      steps[v] = et_steps_of(
          sums[i + at / panels][at % panels * VECTORS + v % VECTORS],
          r->scale[v % VECTORS], r->bias[v % VECTORS]);
    }
    const et_u8 bytes =
        et_u8_in_order(et_rounded(&rounder, steps, target.is_far));
    put_rows_of(out, target.stride, target.columns, left, panels, bytes);
    out += (size_t)there * target.stride;
  }
}

/* Sums that are kept are of one panel. */
ET_INLINE int32_t *kept_sum(const block *b, size_t row, int r, int v) {
  return b->sums + (row + (size_t)r) * ET_PANEL + v * ET_CPU_LANES;
}

ET_INLINE void put_sums(const block *b, size_t row, int rows,
                        sums_of_tile sums) {
  ET_UNROLL for (int r = 0; r < rows; r++) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      et_i32_store(kept_sum(b, row, r, v), sums[r][v]);
    }
  }
}

ET_INLINE void get_sums(const block *b, size_t row, int rows,
                        sums_of_tile sums) {
  ET_UNROLL for (int r = 0; r < rows; r++) {
    ET_UNROLL for (int v = 0; v < VECTORS; v++) {
      sums[r][v] = et_i32_load(kept_sum(b, row, r, v));
    }
  }
}

ET_INLINE void start_sums(const block *b, int rows, int panels,
                          sums_of_tile sums) {
  ET_UNROLL for (int v = 0; v < panels * VECTORS; v++) {
    const et_i32 start =
        b->target == NULL
            ? et_i32_all(0)
            : b->target->requantizers[v / VECTORS].start[v % VECTORS];
    ET_UNROLL for (int r = 0; r < rows; r++) { sums[r][v] = start; }
  }
}

ET_INLINE void run_tile(const block *b, size_t row, int rows, int panels) {
  sums_of_tile sums;
  if (ET_DOT4_EXACT || b->is_first) {
    start_sums(b, rows, panels, sums);
  } else {
    get_sums(b, row, rows, sums);
  }
  add_products(b, row, rows, panels, sums);
  if (b->is_last && b->target != NULL) {
    put_bytes(b, row, rows, panels, sums);
  } else {
    put_sums(b, row, rows, sums);
  }
}

#if defined(ET_CPU_ISA_PLAIN)
#define TILE_LIST(X) X(1) X(2) X(3)
#elif defined(ET_CPU_ISA_AVX512)
#define TILE_LIST(X) X(1) X(2) X(4) X(6) X(8)
#elif ET_DOT4_EXACT
#define TILE_LIST(X) X(1) X(2) X(4) X(6)
#else
#define TILE_LIST(X) X(1) X(2) X(3) X(4) X(5) X(6)
#endif

typedef void tile_function(const block *b, size_t row);

#define DEFINE_TILE(rows, panels)                                 \
  static void run_##rows##_##panels(const block *b, size_t row) { \
    run_tile(b, row, rows, panels);                               \
  }
#define DEFINE_TILE_OF_1(rows) DEFINE_TILE(rows, 1)
#define TILE_ENTRY_OF_1(rows) [rows] = run_##rows##_1,
TILE_LIST(DEFINE_TILE_OF_1)

#if ET_I8_PANELS == 4
#define TILE_LIST_OF_4(X) X(1) X(2) X(4) X(6)
#define DEFINE_TILE_OF_2(rows) DEFINE_TILE(rows, 2)
#define DEFINE_TILE_OF_4(rows) DEFINE_TILE(rows, 4)
#define TILE_ENTRY_OF_2(rows) [rows] = run_##rows##_2,
#define TILE_ENTRY_OF_4(rows) [rows] = run_##rows##_4,
TILE_LIST(DEFINE_TILE_OF_2)
TILE_LIST_OF_4(DEFINE_TILE_OF_4)
#endif

static tile_function *const tile_functions[][ET_I8_ROWS + 1] = {
    [1] = {TILE_LIST(TILE_ENTRY_OF_1)},
#if ET_I8_PANELS == 4
    [2] = {TILE_LIST(TILE_ENTRY_OF_2)},
    [4] = {TILE_LIST_OF_4(TILE_ENTRY_OF_4)},
#endif
};

static size_t panels_of(const block *b) {
  return b->target != NULL ? et_i8_panels(b->target->columns) : 1;
}

#if defined(ET_CPU_ISA_AVX512)
/* Quads of rows whose tiles are low. With more, loads of weights would take longer than
 * products; with fewer, bytes more than those. */
#define LEAST_LOW_QUADS 4
#define MOST_LOW_QUADS 48

/* Eight vectors of a low tile, of two, four or eight rows. */
#define LOW_SUMS 8

ET_INLINE void add_low(const uint8_t *const *at, const int8_t *weights,
                       size_t depth, size_t k, int panels, et_i32 *sums) {
  const int rows = LOW_SUMS / panels;
  et_i8 w[ET_I8_PANELS];
  ET_UNROLL for (int v = 0; v < panels; v++) {
    w[v] = weights_at(weights, depth, k, v);
    ET_PIN(w[v]);
  }
  ET_UNROLL for (int r = 0; r < rows; r++) {
    int32_t word;
    memcpy(&word, at[r] + 4 * k, sizeof(word));
    et_i8 quad = (et_i8)et_i32_all(word);
    if (panels > 1) {
      ET_PIN(quad);
    }
    ET_UNROLL for (int v = 0; v < panels; v++) {
      const int i = r * panels + v;
      sums[i] = et_i32_dot4(sums[i], quad, w[v]);
      ET_PIN(sums[i]);
    }
  }
}

/* Step 0 to 3 of what makes bytes of a low tile: two for each half. */
ET_INLINE void make_low(const et_target_i8 *target, const et_rounder *rounder,
                        int panels, int step, const et_i32 *sums, et_f32 *steps,
                        uint8_t *out) {
  const int first = step / 2 * ET_ROUNDED;
  if (step % 2 == 0) {
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      const et_requantizer *r = &target->requantizers[v % panels];
      steps[v] = et_steps_of(sums[first + v], r->scale[0], r->bias[0]);
      ET_PIN(steps[v]);
    }
    return;
  }
  const et_u8 bytes = et_u8_in_order(et_rounded(rounder, steps, false));
  put_rows_of(out + (size_t)(first / panels) * target->stride, target->stride,
              target->columns, ET_ROUNDED / panels, panels, bytes);
}

/* Products of some rows in turn with what makes bytes of those before: processors look
 * ahead less far than a tile is long. Of the first ones, what is written first is written
 * again; the last ones may be computed again. */
ET_INLINE void run_low(const block *b, int panels) {
  const et_packed_i8 *p = b->packed;
  const et_target_i8 target = *b->target;
  const et_rounder rounder = *target.rounder;
  const int rows = LOW_SUMS / panels;
  const size_t height = (size_t)rows;
  uint8_t *out = target.out;
  et_i32 before[LOW_SUMS] = {{0}};
  et_f32 steps[ET_ROUNDED];
  for (size_t row = 0; row < p->rows; row += height) {
    const size_t first = row + height <= p->rows ? row : p->rows - height;
    const uint8_t *at[LOW_SUMS];
    et_i32 sums[LOW_SUMS];
    ET_UNROLL for (int i = 0; i < LOW_SUMS; i++) {
      sums[i] = target.requantizers[i % panels].start[0];
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      at[r] = p->from[first + (size_t)r];
    }
    ET_UNROLL for (int k = 0; k < LEAST_LOW_QUADS; k++) {
      add_low(at, b->panels, p->depth, (size_t)k, panels, sums);
      make_low(&target, &rounder, panels, k, before, steps, out);
    }
    for (size_t k = LEAST_LOW_QUADS; k < p->depth; k++) {
      add_low(at, b->panels, p->depth, k, panels, sums);
    }
    ET_UNROLL for (int i = 0; i < LOW_SUMS; i++) { before[i] = sums[i]; }
    out = target.out + first * target.stride;
  }
  ET_UNROLL for (int k = 0; k < LEAST_LOW_QUADS; k++) {
    make_low(&target, &rounder, panels, k, before, steps, out);
  }
}

static bool run_low_tiles(const block *b, size_t panels) {
  const et_packed_i8 *p = b->packed;
  if (p->depth < LEAST_LOW_QUADS || p->depth > MOST_LOW_QUADS || p->runs > 1 ||
      p->flip != 0 || p->rows * panels < LOW_SUMS || b->target == NULL ||
      b->target->is_far) {
    return false;
  }
  if (panels == 4) {
    run_low(b, 4);
  } else if (panels == 2) {
    run_low(b, 2);
  } else {
    run_low(b, 1);
  }
  return true;
}
#endif

#if ET_DOT4_EXACT
/* Tiles of like height, which is even; the last one may compute a row again. */
static void run_tiles(const block *b) {
  const size_t rows = b->packed->rows;
  const size_t pairs = (rows + 1) / 2;
  const size_t panels = panels_of(b);
  const size_t most = panels > 2 ? 3 : ET_I8_ROWS / 2; /* pairs that fit */
  const size_t least = (pairs + most - 1) / most;
  const size_t tiles = least == 1 && rows % 2 == 1 ? 2 : least;
  tile_function *const *functions = tile_functions[panels];
#if defined(ET_CPU_ISA_AVX512)
  if (run_low_tiles(b, panels)) {
    return;
  }
#endif
  if (rows == 1) {
    functions[1](b, 0);
    return;
  }
  for (size_t i = 0, row = 0; i < tiles; i++) {
    const size_t height = 2 * (pairs / tiles + (i < pairs % tiles ? 1 : 0));
    functions[height](b, row + height <= rows ? row : rows - height);
    row += height;
  }
}
#else
static size_t tile_rows(const block *b) {
#if ET_SUMS_OF_16
  if (b->packed->together > 1) {
    return WINDOW_ROWS;
  }
#endif
  (void)b;
  return ET_I8_ROWS;
}

/* Tiles are of like height: none computes a row again, as sums may go on. */
static void run_tiles(const block *b) {
  const size_t rows = b->packed->rows;
  const size_t most = tile_rows(b);
  const size_t tiles = (rows + most - 1) / most;
  tile_function *const *functions = tile_functions[panels_of(b)];
  for (size_t i = 0, row = 0; i < tiles; i++) {
    const size_t height = rows / tiles + (i < rows % tiles ? 1 : 0);
    functions[height](b, row);
    row += height;
  }
}

static void run_wide(block *b) {
  const size_t depth = b->packed->depth;
  int16_t wide[WIDE_QUADS * WIDE_QUAD] __attribute__((aligned(64)));
  b->wide = wide;
  b->is_last = false;
  for (; !b->is_last; b->first += b->depth) {
    const size_t left = depth - b->first;
    b->depth = left < WIDE_QUADS ? left : WIDE_QUADS;
    b->is_first = b->first == 0;
    b->is_last = b->depth == left;
    widen(b->panels + b->first * WIDE_QUAD, b->depth, wide);
    run_tiles(b);
  }
}
#endif

static void run_block(block *b) {
#if !ET_DOT4_EXACT
  if (b->packed->words == 2 && b->packed->rows > 1) {
    run_wide(b);
    return;
  }
#endif
  b->depth = b->packed->depth;
  b->is_first = b->is_last = true;
  run_tiles(b);
}

void ET_CPU_NAME(et_cpu_sums_i8)(const et_packed_i8 *packed,
                                 const int8_t *panel, int32_t *sums) {
  block b = {.packed = packed, .panels = panel, .sums = sums};
  run_block(&b);
}

void ET_CPU_NAME(et_cpu_tiles_i8)(const et_packed_i8 *packed,
                                  const int8_t *panels,
                                  const et_target_i8 *target) {
  int32_t sums[ET_I8_BLOCK_ROWS * ET_PANEL];
  block b = {
      .packed = packed, .panels = panels, .target = target, .sums = sums};
  run_block(&b);
}
