/* Implements et_cpu_gemm_qd8_qb4w of gemm_qd8.h: dynamically quantized rows and 4-bit weights.
 *
 *   y = activation(x @ weights + bias)
 *
 * A block of ROWS rows is quantized to int8, one part of K at a time, as [tile][word][row][8].
 * Words of weights are [panel][K / 8][16]. The tile is a few rows by one vector of columns, whose
 * weights are unpacked to int8 once per tile. Sums over a group are exact in int32, then scaled and
 * added to float32 results. Between two parts, y holds the results. int8 dot products are the
 * bottleneck; with one row, memory bandwidth is. */
#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/gemm_qd8.h"
#include "backends/cpu/microkernels/int4.h"
#include "backends/cpu/microkernels/parameters.h"
#include "backends/cpu/microkernels/quantize_row.h"
#include "runtime/core/arithmetic.h"

/* Number of rows per block, and the maximum size of a part of K, in bytes and in groups of weights.
 * A part is stored on the stack. */
#define ROWS 32
#define PART_BYTES 32768
#define PART_GROUPS 128

_Static_assert(PART_BYTES >= ROWS * ET_CPU_QD8_MAX_GROUP,
               "a group of ROWS rows fits in a part");

/* Maximum number of rows per tile. Its accumulators and results fill the registers. If the number
 * of rows is odd, run_row() computes the last row, for a whole panel at a time. */
#if defined(ET_CPU_ISA_WASM_SIMD128)
#define TILE_LIST(X) X(2) X(4)
#define TILE_ROWS 4
#elif defined(ET_CPU_ISA_PLAIN)
#define TILE_LIST(X) X(2)
#define TILE_ROWS 2
#elif defined(ET_CPU_ISA_AVX512)
#define TILE_LIST(X) X(2) X(4) X(6) X(8) X(10) X(12)
#define TILE_ROWS 12
#else
#define TILE_LIST(X) X(2) X(4) X(6)
#define TILE_ROWS 6
#endif

/* Number of weights per word. */
#define WORD 8

/* A part of K for a block of rows. It consists of whole groups. `bytes` has quantized values minus
 * 128. */
typedef struct part {
  const et_cpu_gemm_qd8 *product;
  size_t first_row;
  size_t rows;
  size_t first; /* first element of each row */
  size_t depth;
  bool is_last;
  et_row_qd8 of_rows[ROWS];
  /* -8 times the sums of the quantized x, for weights with an offset of 8: [tile][group][row]. */
  int32_t corrections[ROWS * PART_GROUPS];
  uint8_t bytes[PART_BYTES]; /* layout: [tile][word][row][8] */
} part;

/* Returns the number of tiles with an even number of rows. */
static size_t paired_tiles(size_t rows) {
  return (rows / 2 + TILE_ROWS / 2 - 1) / (TILE_ROWS / 2);
}

static size_t tile_count(size_t rows) { return paired_tiles(rows) + rows % 2; }

/* Returns the first row of a tile. Tiles have similar heights. If the number of rows is odd, the
 * last row forms its own tile. */
static size_t first_of_tile(size_t rows, size_t tile) {
  const size_t paired = paired_tiles(rows);
  return tile > paired   ? rows
         : tile < paired ? rows / 2 * tile / paired * 2
                         : rows - rows % 2;
}

#define MIDDLE 128

/* Quantizes row `r` of the tile that has `height` rows and starts at row `first`. */
static void put_row(part *p, size_t first, size_t height, size_t r) {
  const et_cpu_gemm_qbw *w = &p->product->weights;
  const et_row_qd8 *row = &p->of_rows[first + r];
  const size_t groups = p->depth / w->group;
  const int32_t more = (row->zero_point - MIDDLE) * (int32_t)w->group;
  const float *x = w->x + (p->first_row + first + r) * w->depth + p->first;
  uint8_t *to = p->bytes + first * p->depth + r * WORD;
  int32_t *corrections = p->corrections + first * groups + r;
  for (size_t g = 0; g < groups; g++, x += w->group, corrections += height) {
    uint8_t line[ET_CPU_QD8_MAX_GROUP];
    *corrections =
        -8 * (et_quantize_row(row, x, w->group, -MIDDLE, line) + more);
    for (size_t k = 0; k < w->group; k += WORD, to += height * WORD) {
      et_nibbles_order(line + k, to);
    }
  }
}

static void put_rows(part *p) {
  const size_t tiles = tile_count(p->rows);
  for (size_t t = 0; t < tiles; t++) {
    const size_t first = first_of_tile(p->rows, t);
    const size_t height = first_of_tile(p->rows, t + 1) - first;
    for (size_t r = 0; r < height; r++) {
      put_row(p, first, height, r);
    }
  }
}

/* A vector of columns. */
typedef struct columns {
  /* Words of the first group of the part. Consecutive rows are ET_CPU_PANEL words apart. */
  const int32_t *words;
  size_t at; /* index of the first group's parameters */
  size_t first;
  size_t count; /* valid columns */
  et_f32 sums;  /* sums of the weights, for the last part */
} columns;

ET_INLINE et_i8 quad_at(const uint8_t *bytes) {
  int32_t quad;
  memcpy(&quad, bytes, sizeof(quad));
  return (et_i8)et_i32_all(quad);
}

/* Accumulator type for the products of up to ET_NIBBLE_WORDS words. */
#if ET_SUMS_OF_16
typedef et_i16 few;
#define ADD_QUAD et_i16_dot2
#else
typedef et_i32 few;
#define ADD_QUAD et_i32_dot4_of_7_bits
#endif

/* Adds the products of `count` words with the rows of a tile. Prefetches the words at distance
 * `ahead`, which belong to the next panel. After the first tile, these prefetches hit the cache. */
ET_INLINE void add_words(const int32_t *words, size_t ahead, const uint8_t *x,
                         size_t count, int rows, few *sums) {
  for (size_t i = 0; i < count; i++, words += ET_CPU_PANEL, x += rows * WORD) {
    et_nibbles weights = et_nibbles_of(et_words_load(words));
    ET_PIN(weights.even);
    ET_PIN(weights.odd);
    et_prefetch(words + ahead);
    ET_UNROLL for (int r = 0; r < rows; r++) {
      sums[r] = ADD_QUAD(sums[r], weights.even, quad_at(x + r * WORD));
      ET_PIN(sums[r]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      sums[r] = ADD_QUAD(sums[r], weights.odd, quad_at(x + r * WORD + 4));
      ET_PIN(sums[r]);
    }
  }
}

/* Adds the products of a group of `count` words to the exact int32 sums. */
ET_INLINE void add_group(const int32_t *words, size_t ahead, const uint8_t *x,
                         size_t count, int rows, et_i32 *sums) {
#if ET_SUMS_OF_16
  for (size_t i = 0; i < count; i += ET_NIBBLE_WORDS) {
    few more[TILE_ROWS];
    ET_UNROLL for (int r = 0; r < rows; r++) { more[r] = (few){0}; }
    add_words(words + i * ET_CPU_PANEL, ahead, x + i * (size_t)rows * WORD,
              et_min_size(count - i, ET_NIBBLE_WORDS), rows, more);
    ET_UNROLL for (int r = 0; r < rows; r++) {
      sums[r] = et_i32_add2(sums[r], more[r]);
    }
  }
#else
  add_words(words, ahead, x, count, rows, sums);
#endif
}

/* Multiplies exact sums by the group's scales and adds them to the results. */
ET_INLINE void scale_group(const et_cpu_gemm_qbw *w, size_t at,
                           const int32_t *corrections, int rows,
                           const et_i32 *sums, et_f32 *results) {
  const et_f32 scales = et_scales_load(&w->scales, at);
  et_f32 values[TILE_ROWS];
  ET_UNROLL for (int r = 0; r < rows; r++) {
    values[r] = et_f32_of_i32(sums[r]);
  }
  if (w->zero_points.data != NULL) {
    const et_f32 points = et_parameters_load(&w->zero_points, at);
    ET_PIN_INDEX(corrections); /* otherwise, it is loaded twice */
    ET_UNROLL for (int r = 0; r < rows; r++) {
      const et_f32 total = et_f32_all((float)corrections[r] * 0.125f);
      values[r] = et_f32_fma(points, total, values[r]);
    }
  }
  ET_UNROLL for (int r = 0; r < rows; r++) {
    results[r] = et_f32_fma(scales, values[r], results[r]);
  }
}

/* Initializes results with 0, or with the output of the previous part. */
ET_INLINE void begin_results(const part *p, const float *out, size_t count,
                             int rows, et_f32 *results) {
  const size_t stride = p->product->weights.columns;
  ET_UNROLL for (int r = 0; r < rows; r++) {
    results[r] = p->first == 0 ? et_f32_all(0.0f)
                               : et_load_first(out + (size_t)r * stride, count);
  }
}

/* Corrects a result for the zero point of its row, scales it and adds the bias. */
ET_INLINE et_f32 finished(const et_row_qd8 *row, const columns *c, et_f32 bias,
                          et_f32 result) {
  const et_f32 less = et_f32_all((float)(MIDDLE - row->zero_point));
  const et_f32 sum = et_f32_fma(less, c->sums, result);
  return et_f32_fma(sum, et_f32_all(row->scale), bias);
}

ET_INLINE void end_results(const part *p, const columns *c, size_t row,
                           int rows, float *out, et_f32 *results) {
  const et_cpu_gemm_qbw *w = &p->product->weights;
  if (p->is_last) {
    const et_f32 low = et_f32_all(et_cpu_clamp_low(&w->activation));
    const et_f32 high = et_f32_all(et_cpu_clamp_high(&w->activation));
    const et_f32 bias = et_f32_load(w->bias + c->first);
    ET_UNROLL for (int r = 0; r < rows; r++) {
      const et_row_qd8 *of_row = &p->of_rows[row + (size_t)r];
      results[r] =
          et_f32_clamp(finished(of_row, c, bias, results[r]), low, high);
    }
  }
  ET_UNROLL for (int r = 0; r < rows; r++) {
    et_store_first(out + (size_t)r * w->columns, results[r], c->count);
  }
}

ET_INLINE void run_tile(const part *p, const columns *c, size_t row, int rows) {
  const et_cpu_gemm_qbw *w = &p->product->weights;
  const size_t words = w->group / WORD;
  const size_t groups = p->depth / w->group;
  const size_t ahead = w->depth / WORD * ET_CPU_PANEL;
  const uint8_t *x = p->bytes + row * p->depth;
  const int32_t *corrections = p->corrections + row * groups;
  float *out = w->out + (p->first_row + row) * w->columns + c->first;
  et_f32 results[TILE_ROWS];
  begin_results(p, out, c->count, rows, results);
  for (size_t g = 0; g < groups; g++, corrections += rows) {
    et_i32 sums[TILE_ROWS];
    ET_UNROLL for (int r = 0; r < rows; r++) {
      sums[r] = et_i32_all(corrections[r]);
    }
    add_group(c->words + g * words * ET_CPU_PANEL, ahead, x, words, rows, sums);
    scale_group(w, c->at + g * ET_CPU_PANEL, corrections, rows, sums, results);
    x += w->group * (size_t)rows;
  }
  end_results(p, c, row, rows, out, results);
}

typedef void tile_function(const part *p, const columns *c, size_t row);

#define DEFINE_TILE(rows)                                               \
  static void run_##rows(const part *p, const columns *c, size_t row) { \
    run_tile(p, c, row, rows);                                          \
  }
#define TILE_ENTRY(rows) [rows] = run_##rows,
TILE_LIST(DEFINE_TILE)
static tile_function *const tile_functions[TILE_ROWS + 1] = {
    TILE_LIST(TILE_ENTRY)};

/* Returns the first word of a column for the group that starts at element `first`. */
static const int32_t *words_at(const et_cpu_gemm_qbw *w, size_t column,
                               size_t first) {
  const size_t panel = column / ET_CPU_PANEL;
  return w->words + (panel * w->depth + first) / WORD * ET_CPU_PANEL +
         column % ET_CPU_PANEL;
}

static size_t parameters_at(const et_cpu_gemm_qbw *w, size_t column,
                            size_t first) {
  const size_t panel = column / ET_CPU_PANEL;
  return (panel * (w->depth / w->group) + first / w->group) * ET_CPU_PANEL +
         column % ET_CPU_PANEL;
}

/* Computes the sums of the weights of a vector of columns. */
static et_f32 sums_of(const et_cpu_gemm_qbw *w, size_t column) {
  const et_i8 ones = (et_i8)et_i32_all(0x01010101);
  const int32_t *words = words_at(w, column, 0);
  size_t at = parameters_at(w, column, 0);
  et_f32 total = et_f32_all(0.0f);
  for (size_t k = 0; k < w->depth; k += w->group, at += ET_CPU_PANEL) {
    et_i32 sum = et_i32_all(-8 * (int32_t)w->group);
    for (size_t i = 0; i < w->group / WORD; i++, words += ET_CPU_PANEL) {
      const et_nibbles weights = et_nibbles_of(et_words_load(words));
      sum = et_i32_dot4_of_7_bits(sum, weights.even, ones);
      sum = et_i32_dot4_of_7_bits(sum, weights.odd, ones);
    }
    const et_f32 points =
        et_parameters_load(&w->zero_points, at) * et_f32_all((float)w->group);
    total = et_f32_fma(et_scales_load(&w->scales, at),
                       et_f32_of_i32(sum) - points, total);
  }
  return total;
}

/* Returns the vector of columns that starts at column `first`. `count` of its columns are valid. */
static columns columns_of(const part *p, size_t first, size_t count) {
  const et_cpu_gemm_qd8 *product = p->product;
  const et_cpu_gemm_qbw *w = &product->weights;
  columns c = {.words = words_at(w, first, p->first),
               .at = parameters_at(w, first, p->first),
               .first = first,
               .count = count};
  if (p->is_last) {
    c.sums = product->column_sums != NULL
                 ? et_f32_load(product->column_sums + first)
                 : sums_of(w, first);
  }
  return c;
}

/* Adds the products of `count` words of a panel and a row. */
ET_INLINE void add_lines(const int32_t *words, const uint8_t *x, size_t count,
                         few *sums) {
  for (size_t i = 0; i < count; i++, words += ET_CPU_PANEL, x += WORD) {
    const et_i8 even = quad_at(x);
    const et_i8 odd = quad_at(x + 4);
    et_prefetch(words + ET_PREFETCH_WORDS);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      et_i32 w = et_words_load(words + v * ET_CPU_LANES);
      ET_PIN(w); /* otherwise, it is loaded twice */
      const et_nibbles weights = et_nibbles_of(w);
      sums[v] = ADD_QUAD(sums[v], weights.even, even);
      sums[v] = ADD_QUAD(sums[v], weights.odd, odd);
      ET_PIN(sums[v]); /* otherwise, accumulators are spilled */
    }
  }
}

/* Adds the products of a group of `count` words of a panel and a row to the exact int32 sums. */
ET_INLINE void add_group_lines(const int32_t *words, const uint8_t *x,
                               size_t count, et_i32 *sums) {
#if ET_SUMS_OF_16
  for (size_t i = 0; i < count; i += ET_NIBBLE_WORDS) {
    few more[ET_PANEL_VECTORS] = {{0}};
    add_lines(words + i * ET_CPU_PANEL, x + i * WORD,
              et_min_size(count - i, ET_NIBBLE_WORDS), more);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      sums[v] = et_i32_add2(sums[v], more[v]);
    }
  }
#else
  add_lines(words, x, count, sums);
#endif
}

/* Common combinations of parameters for groups of 32 weights. Specialized loops are 1.16x (AVX2)
 * and 1.09x (AVX-512) faster. */
typedef enum form { ANY, FLOAT_SCALES, BFLOAT_SCALES } form;

#define USUAL_GROUP 32

static form form_of(const et_cpu_gemm_qbw *w) {
  if (w->group != USUAL_GROUP || w->zero_points.data != NULL) {
    return ANY;
  }
  return w->scales.width == ET_CPU_FLOAT32    ? FLOAT_SCALES
         : w->scales.width == ET_CPU_BFLOAT16 ? BFLOAT_SCALES
                                              : ANY;
}

/* Adds the products of all groups of the part, multiplied by their scales, to the results of the
 * last row. */
ET_INLINE void add_lines_of_groups(const part *p, const columns *c, form is,
                                   et_f32 *results) {
  et_cpu_gemm_qbw w = p->product->weights;
  if (is != ANY) { /* compile-time constants */
    w.group = USUAL_GROUP;
    w.zero_points.data = NULL;
    w.scales.width = is == FLOAT_SCALES ? ET_CPU_FLOAT32 : ET_CPU_BFLOAT16;
  }
  const size_t words = w.group / WORD;
  const size_t scales_ahead =
      ET_PREFETCH_WORDS / ET_CPU_PANEL / 2 / words * ET_CPU_PANEL;
  const size_t groups = p->depth / w.group;
  const size_t row = p->rows - 1;
  const uint8_t *x = p->bytes + row * p->depth;
  const int32_t *corrections = p->corrections + row * groups;
  et_f32 totals[ET_PANEL_VECTORS]; /* copy of `results` in registers */
  memcpy(totals, results, sizeof(totals));
  for (size_t g = 0; g < groups; g++, corrections++, x += w.group) {
    et_i32 sums[ET_PANEL_VECTORS];
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      sums[v] = et_i32_all(*corrections);
    }
    et_scales_fetch(&w.scales, c->at + g * ET_CPU_PANEL + scales_ahead);
    add_group_lines(c->words + g * words * ET_CPU_PANEL, x, words, sums);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      scale_group(&w, c[v].at + g * ET_CPU_PANEL, corrections, 1, sums + v,
                  totals + v);
    }
  }
  memcpy(results, totals, sizeof(totals));
}

/* Computes the last row for a whole panel, so that each cache line is read once. */
ET_NOINLINE void run_row(const part *p, const columns *c) {
  const et_cpu_gemm_qbw *w = &p->product->weights;
  const size_t row = p->rows - 1;
  float *out = w->out + (p->first_row + row) * w->columns;
  et_f32 results[ET_PANEL_VECTORS];
  for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    begin_results(p, out + c[v].first, c[v].count, 1, results + v);
  }
  switch (form_of(w)) {
    case FLOAT_SCALES:
      add_lines_of_groups(p, c, FLOAT_SCALES, results);
      break;
    case BFLOAT_SCALES:
      add_lines_of_groups(p, c, BFLOAT_SCALES, results);
      break;
    default:
      add_lines_of_groups(p, c, ANY, results);
  }
  for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    end_results(p, c + v, row, 1, out + c[v].first, results + v);
  }
}

/* Computes `count` columns of the panel that begins with column `first`. */
static void run_panel(const part *p, size_t first, size_t count) {
  columns c[ET_PANEL_VECTORS];
  for (size_t v = 0; v < ET_PANEL_VECTORS; v++) {
    const size_t done = et_min_size(v * ET_CPU_LANES, count);
    c[v] = columns_of(p, first + v * ET_CPU_LANES, count - done);
    for (size_t t = 0; t < paired_tiles(p->rows) && count > done; t++) {
      const size_t row = first_of_tile(p->rows, t);
      tile_functions[first_of_tile(p->rows, t + 1) - row](p, c + v, row);
    }
  }
  if (p->rows % 2 == 1) {
    run_row(p, c);
  }
}

/* Returns the maximum depth for which the part has at most PART_BYTES values and PART_GROUPS groups
 * per row. */
static size_t part_depth(const part *p) {
  const et_cpu_gemm_qbw *w = &p->product->weights;
  const size_t fit = PART_BYTES / p->rows / w->group;
  return et_min_size(w->depth - p->first,
                     et_min_size(fit, PART_GROUPS) * w->group);
}

static void run_part(part *p, const et_cpu_range *range) {
  p->depth = part_depth(p);
  p->is_last = p->first + p->depth == p->product->weights.depth;
  put_rows(p);
  for (size_t done = 0; done < range->columns; done += ET_CPU_PANEL) {
    run_panel(p, range->first_column + done, range->columns - done);
  }
}

static void run_rows(part *p, const et_cpu_range *range) {
  const et_cpu_gemm_qbw *w = &p->product->weights;
  for (size_t r = 0; r < p->rows; r++) {
    p->of_rows[r] =
        et_row_qd8_of(w->x + (p->first_row + r) * w->depth, w->depth);
  }
  for (p->first = 0; p->first < w->depth; p->first += p->depth) {
    run_part(p, range);
  }
  if (et_cpu_is_curve(&w->activation)) {
    ET_CPU_FLOAT_NAME(et_cpu_activate_f32)
    (&w->activation, w->out + p->first_row * w->columns + range->first_column,
     w->columns, p->rows, range->columns);
  }
}

void ET_CPU_NAME(et_cpu_gemm_qd8_qb4w)(const et_cpu_gemm_qd8 *product,
                                       const et_cpu_range *range) {
  part p;
  p.product = product;
  for (size_t done = 0; done < range->rows; done += ROWS) {
    p.first_row = range->first_row + done;
    p.rows = et_min_size(range->rows - done, ROWS);
    run_rows(&p, range);
  }
}
