#include "backends/cpu/simd/product_q.h"

#include "backends/cpu/simd/activate.h"
#include "backends/cpu/simd/codes.h"
#include "backends/cpu/simd/rows.h"
#include "backends/cpu/simd/sums.h"

/* Words of a panel ahead that are asked for: one is a line of the cache. */
#define AHEAD (24 * ET_PANEL)

/* Panels and summands of a block of weights that are floats: 16 KiB, which lie on
 * the stack. */
#define BLOCK_PANELS 2
#define BLOCK_DEPTH 128

/* Where panel `panel` of a product begins. */
typedef struct place {
  const int32_t *words;
  const float *scales;
  const float *zero_points;
  size_t words_stride; /* to the next panel */
  size_t scales_stride;
} place;

static place place_of(const et_cpu_product_q *p, size_t panel) {
  const size_t words = p->depth * p->bits / 32 * ET_PANEL;
  const size_t scales = p->depth / p->group * ET_PANEL;
  return (place){
      p->words + panel * words, p->scales + panel * scales,
      p->zero_points == NULL ? NULL : p->zero_points + panel * scales, words,
      scales};
}

ET_INLINE size_t at(size_t stride, int v) {
  return (size_t)(v / ET_PANEL_VECTORS) * stride +
         (size_t)(v % ET_PANEL_VECTORS) * ET_CPU_LANES;
}

/* Adds x[k] times the codes of a group; all columns have their sums. */
ET_INLINE void add_codes(const float *x, const int32_t *words, size_t stride,
                         size_t count, int bits, int vectors, et_f32 *sums) {
  const int codes = 32 / bits;
  for (size_t i = 0; i < count; i++, words += ET_PANEL, x += codes) {
    et_i32 w[ET_PANEL_VECTORS];
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      w[v] = et_words_load(words + at(stride, v));
      if (v % ET_PANEL_VECTORS == 0) {
        et_prefetch(words + at(stride, v) + AHEAD);
      }
    }
    ET_UNROLL for (int j = 0; j < codes; j++) {
      const et_f32 all = et_f32_all(x[j]);
      ET_UNROLL for (int v = 0; v < vectors; v++) {
        sums[v] = et_f32_fma(all, et_code(w[v], j, bits), sums[v]);
      }
    }
  }
}

/* Sums of the groups times their scales, added up; what zero points are times the
 * sum of a group's x is taken off. */
ET_INLINE void add_groups(const et_cpu_product_q *p, place from, int bits,
                          int vectors, et_f32 *totals) {
  const size_t count = p->group * (size_t)bits / 32;
  for (size_t k = 0; k < p->depth; k += p->group) {
    et_f32 sums[ET_PANEL_VECTORS];
    ET_UNROLL for (int v = 0; v < vectors; v++) { sums[v] = et_f32_all(0.0f); }
    add_codes(p->x + k, from.words, from.words_stride, count, bits, vectors,
              sums);
    if (from.zero_points != NULL) {
      const et_f32 all = et_f32_all(-et_row_sum(p->x + k, p->group));
      ET_UNROLL for (int v = 0; v < vectors; v++) {
        const float *z = from.zero_points + at(from.scales_stride, v);
        sums[v] = et_f32_fma(et_f32_load(z), all, sums[v]);
      }
      from.zero_points += ET_PANEL;
    }
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      const float *scales = from.scales + at(from.scales_stride, v);
      totals[v] = et_f32_fma(et_f32_load(scales), sums[v], totals[v]);
    }
    from.words += count * ET_PANEL;
    from.scales += ET_PANEL;
  }
}

/* Writes `columns` results of a row that begin with column `first`. */
static void store_row(const et_cpu_product_q *p, size_t first, size_t columns,
                      const et_f32 *totals) {
  const et_f32 low = et_f32_all(et_cpu_clamp_low(&p->activation));
  const et_f32 high = et_f32_all(et_cpu_clamp_high(&p->activation));
  for (size_t c = 0; c < columns; c += ET_CPU_LANES, totals++) {
    const size_t left = columns - c;
    const size_t count = left < ET_CPU_LANES ? left : ET_CPU_LANES;
    et_f32 sum = *totals;
    if (p->residual != NULL) {
      sum += et_f32_load_some(p->residual + first + c, count);
    }
    et_f32_store_some(p->out + first + c, et_f32_clamp(sum, low, high), count);
  }
  if (et_cpu_is_curve(&p->activation)) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (&p->activation, p->out + first, p->columns, 1, columns);
  }
}

ET_INLINE void run_panels(const et_cpu_product_q *p, size_t panel, int panels,
                          size_t columns) {
  const int vectors = panels * ET_PANEL_VECTORS;
  et_f32 totals[ET_PANEL_VECTORS];
  ET_UNROLL for (int v = 0; v < vectors; v++) {
    totals[v] = et_f32_load(p->bias + panel * ET_PANEL + v * ET_CPU_LANES);
  }
  if (p->bits == 4) {
    add_groups(p, place_of(p, panel), 4, vectors, totals);
  } else {
    add_groups(p, place_of(p, panel), 8, vectors, totals);
  }
  store_row(p, panel * ET_PANEL, columns, totals);
}

/* One panel after the other: memory is read ahead fastest where it is one
 * stream. */
void ET_CPU_NAME(et_cpu_product_q_row)(const et_cpu_product_q *product,
                                       const et_cpu_range *range) {
  for (size_t c = 0; c < range->columns; c += ET_PANEL) {
    const size_t left = range->columns - c;
    run_panels(product, (range->first_column + c) / ET_PANEL, 1,
               left < ET_PANEL ? left : ET_PANEL);
  }
}

/* Codes of one word row as floats: (code - zero point) * scale. */
ET_INLINE void put_words(const int32_t *words, const float *scales,
                         const float *zero_points, int bits, float *to) {
  const int codes = 32 / bits;
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    const et_i32 w = et_words_load(words + v * ET_CPU_LANES);
    const et_f32 scale = et_f32_load(scales + v * ET_CPU_LANES);
    const et_f32 zero = zero_points == NULL
                            ? et_f32_all(0.0f)
                            : et_f32_load(zero_points + v * ET_CPU_LANES);
    ET_UNROLL for (int j = 0; j < codes; j++) {
      et_f32_store(to + j * ET_PANEL + v * ET_CPU_LANES,
                   (et_code(w, j, bits) - zero) * scale);
    }
  }
}

/* Weights of one panel, of `depth` summands from number `first`. */
static void put_block(const et_cpu_product_q *p, size_t panel, size_t first,
                      size_t depth, float *to) {
  const size_t codes = 32 / p->bits;
  const place from = place_of(p, panel);
  for (size_t k = first; k < first + depth;
       k += codes, to += codes * ET_PANEL) {
    const int32_t *words = from.words + k / codes * ET_PANEL;
    const size_t group = k / p->group * ET_PANEL;
    const float *zero_points =
        from.zero_points == NULL ? NULL : from.zero_points + group;
    if (p->bits == 4) {
      put_words(words, from.scales + group, zero_points, 4, to);
    } else {
      put_words(words, from.scales + group, zero_points, 8, to);
    }
  }
}

static et_tiles tiles_of(const et_cpu_product_q *p, size_t row, size_t column,
                         const float *block) {
  const size_t first = row * p->columns + column;
  return (et_tiles){
      .x = p->x + row * p->depth,
      .x_stride = p->depth,
      .segments = 1,
      .panels = block,
      .panel_stride = BLOCK_DEPTH * ET_PANEL,
      .start = p->bias + column,
      .out = p->out + first,
      .out_stride = p->columns,
      .residual = p->residual == NULL ? NULL : p->residual + first,
      .residual_stride = p->columns,
      .activation = &p->activation,
  };
}

/* `columns` of at most BLOCK_PANELS panels. */
static void run_columns(const et_cpu_product_q *p, const et_cpu_range *range,
                        size_t column, size_t columns) {
  float block[BLOCK_PANELS * BLOCK_DEPTH * ET_PANEL];
  et_tiles tiles = tiles_of(p, range->first_row, column, block);
  size_t k = 0;
  do {
    tiles.depth = p->depth - k < BLOCK_DEPTH ? p->depth - k : BLOCK_DEPTH;
    for (size_t panel = 0; panel * ET_PANEL < columns; panel++) {
      put_block(p, column / ET_PANEL + panel, k, tiles.depth,
                block + panel * BLOCK_DEPTH * ET_PANEL);
    }
    k += tiles.depth;
    tiles.last = k == p->depth;
    ET_CPU_NAME(et_cpu_tiles)(&tiles, range->rows, columns);
    tiles.x += tiles.depth;
    tiles.start = NULL;
  } while (!tiles.last);
}

void ET_CPU_NAME(et_cpu_product_q_rows)(const et_cpu_product_q *product,
                                        const et_cpu_range *range) {
  const size_t most = BLOCK_PANELS * ET_PANEL;
  for (size_t c = 0; c < range->columns; c += most) {
    const size_t left = range->columns - c;
    run_columns(product, range, range->first_column + c,
                left < most ? left : most);
  }
}
