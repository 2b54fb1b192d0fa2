/* One row times weights of few bits: each code is read once. */
#include "backends/cpu/simd/activate.h"
#include "backends/cpu/simd/codes.h"
#include "backends/cpu/simd/digits.h"
#include "backends/cpu/simd/parameters.h"
#include "backends/cpu/simd/rows.h"
#include "backends/cpu/simd/sums.h"

/* Words of a panel ahead that are asked for: one is a line of the cache. Less than a
 * page: from 64 lines on a product of weights in memory took a third longer (Zen 4),
 * with 12 lines a fifth. */
#define AHEAD (40 * ET_PANEL)

/* Most summands of a part of the row, 10 KiB that lie on the stack. */
#define PART_DEPTH 2048
#define LEAST_GROUP 4

/* Whether numbers become digits: three products of bytes and what unpacks nibbles are
 * a third of what it takes to make floats of these. */
#if defined(ET_CPU_ISA_PLAIN)
#define HAS_DIGITS(bits) false
#else
#define HAS_DIGITS(bits) ((bits) == 4)
#endif

/* Some of a row, for codes that are used where they lie in their words: each
 * number is over the unit of its code. */
typedef struct part {
  size_t first; /* summand */
  size_t depth;
  size_t group; /* summands of one scale */
  float x[PART_DEPTH];
  float sums[PART_DEPTH / LEAST_GROUP];  /* of the row in each group */
  et_word_digits digits[PART_DEPTH / 8]; /* in place of x, where HAS_DIGITS */
  et_group_digits groups[PART_DEPTH / 8];
} part;

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Of whole groups, or where one is longer than a part, of some of it. */
static size_t part_depth(const et_cpu_product_q *p, size_t first) {
  if (p->group > PART_DEPTH) {
    return smaller(p->group - first % p->group, PART_DEPTH);
  }
  return smaller(p->depth - first, PART_DEPTH / p->group * p->group);
}

static void put_digits(const float *x, part *to) {
  for (size_t k = 0; k < to->depth; k += to->group) {
    to->groups[k / to->group] =
        et_put_digits(x + k, to->group, to->digits + k / 8);
  }
}

static void put_floats(const et_cpu_product_q *p, const float *x, part *to) {
  const size_t codes = 32 / p->bits;
  for (size_t j = 0; j < codes; j++) {
    const float factor = 1.0f / et_code_unit(j, p->bits);
    for (size_t k = j; k < to->depth; k += codes) {
      to->x[k] = x[k] * factor;
    }
  }
}

static void put_part(const et_cpu_product_q *p, size_t first, part *to) {
  const float *x = p->x + first;
  to->first = first;
  to->depth = part_depth(p, first);
  to->group = smaller(p->group, to->depth);
  if (HAS_DIGITS(p->bits)) {
    put_digits(x, to);
  } else {
    put_floats(p, x, to);
  }
  for (size_t k = 0; k < to->depth; k += to->group) {
    to->sums[k / to->group] = et_row_sum(x + k, to->group);
  }
}

/* Several sums of each column: of one alone, each operation waits for the last. */
#define CHAINS 4
typedef et_f32 chains[CHAINS][ET_PANEL_VECTORS];

/* Adds x[k] times the raised codes of a group. */
ET_INLINE void add_codes(const float *x, const int32_t *words, size_t count,
                         int bits, chains sums) {
  const int codes = 32 / bits;
  for (size_t i = 0; i < count; i++, words += ET_PANEL, x += codes) {
    et_u32 w[ET_PANEL_VECTORS];
    et_prefetch(words + AHEAD);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      w[v] = et_codes_raised(et_words_load(words + v * ET_CPU_LANES), bits);
    }
    ET_UNROLL for (int j = 0; j < codes; j++) {
      const et_f32 all = et_f32_all(x[j]);
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        et_f32 *sum = &sums[j % CHAINS][v];
        *sum = et_f32_fma(all, et_code_in_place(w[v], j, bits), *sum);
      }
    }
  }
}

/* By how much codes are raised, unless minima are of raised ones, and zero points,
 * times the sum of a group of the row are taken off before its products are added. */
ET_INLINE void begin_chains(float row_sum, const et_cpu_product_q *p, size_t at,
                            int bits, chains sums) {
  const et_f32 raised =
      et_f32_all(p->minima.data == NULL ? (float)(1 << (bits - 1)) : 0.0f);
  const et_f32 off = et_f32_all(-row_sum);
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    sums[0][v] = raised * off;
    ET_UNROLL for (int c = 1; c < CHAINS; c++) {
      sums[c][v] = et_f32_all(0.0f);
    }
    if (p->zero_points.data != NULL) {
      sums[1][v] =
          et_parameters_load(&p->zero_points, at + v * ET_CPU_LANES) * off;
    }
  }
}

/* Sums of a group of products, floats. */
ET_INLINE void sum_floats(const et_cpu_product_q *p, const part *part,
                          size_t group, const int32_t *words, size_t at,
                          int bits, et_f32 *values) {
  chains sums;
  begin_chains(part->sums[group], p, at, bits, sums);
  add_codes(part->x + group * part->group, words,
            part->group * (size_t)bits / 32, bits, sums);
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    values[v] = (sums[0][v] + sums[1][v]) + (sums[2][v] + sums[3][v]);
  }
}

/* Sums of digits' products with raised codes, exact, and those of some words. */
typedef et_i32 of_digits[ET_DIGITS][ET_PANEL_VECTORS];
#if ET_SUMS_OF_16
typedef et_i16 of_words[ET_DIGITS][ET_PANEL_VECTORS];
#define ADD_QUAD et_i16_dot2
#else
typedef of_digits of_words;
#define ADD_QUAD et_i32_dot4
#endif

ET_INLINE et_i8 quad_at(const uint8_t *bytes) {
  int32_t quad;
  memcpy(&quad, bytes, sizeof(quad));
  return (et_i8)et_i32_all(quad);
}

ET_INLINE void add_words(const et_word_digits *digits, const int32_t *words,
                         size_t count, of_words sums) {
  for (size_t i = 0; i < count; i++, words += ET_PANEL, digits++) {
    et_nibbles codes[ET_PANEL_VECTORS];
    et_prefetch(words + AHEAD);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      codes[v] = et_nibbles_of(et_words_load(words + v * ET_CPU_LANES));
    }
    ET_UNROLL for (int d = 0; d < ET_DIGITS; d++) {
      const et_i8 even = quad_at((*digits)[d]);
      const et_i8 odd = quad_at((*digits)[d] + 4);
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        sums[d][v] = ADD_QUAD(sums[d][v], codes[v].even, even);
        sums[d][v] = ADD_QUAD(sums[d][v], codes[v].odd, odd);
      }
    }
  }
}

ET_INLINE void add_group(const et_word_digits *digits, const int32_t *words,
                         size_t count, of_digits sums) {
#if ET_SUMS_OF_16
  for (size_t i = 0; i < count; i += ET_NIBBLE_WORDS) {
    of_words few = {{{0}}};
    add_words(digits + i, words + i * ET_PANEL,
              smaller(count - i, ET_NIBBLE_WORDS), few);
    ET_UNROLL for (int d = 0; d < ET_DIGITS; d++) {
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        sums[d][v] = et_i32_add2(sums[d][v], few[d][v]);
      }
    }
  }
#else
  add_words(digits, words, count, sums);
#endif
}

/* Sums of a group of products, by digits. */
ET_INLINE void sum_digits(const et_cpu_product_q *p, const part *part,
                          size_t group, const int32_t *words, size_t at,
                          et_f32 *values) {
  const et_group_digits *g = &part->groups[group];
  const int32_t raised = p->minima.data == NULL ? -8 : 0;
  of_digits sums;
  ET_UNROLL for (int d = 0; d < ET_DIGITS; d++) {
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      sums[d][v] = et_i32_all(raised * g->totals[d]);
    }
  }
  add_group(part->digits + group * part->group / 8, words, part->group / 8,
            sums);
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    const et_f32 low = et_f32_of_i32((sums[1][v] << 8) + sums[0][v]);
    const et_f32 high = et_f32_of_i32(sums[2][v]);
    values[v] =
        et_f32_fma(high, et_f32_all(65536.0f), low) * et_f32_all(g->unit);
    if (p->zero_points.data != NULL) {
      values[v] = et_f32_fma(
          et_parameters_load(&p->zero_points, at + (size_t)v * ET_CPU_LANES),
          et_f32_all(-part->sums[group]), values[v]);
    }
  }
}

/* Sums of the groups times their scales, added up, and the minima'. */
ET_INLINE void add_groups(const et_cpu_product_q *p, const part *part,
                          size_t panel, int bits, et_f32 *totals) {
  const size_t count = part->group * (size_t)bits / 32;
  const int32_t *words = p->words + (panel * p->depth + part->first) *
                                        (size_t)bits / 32 * ET_PANEL;
  size_t at = (panel * (p->depth / p->group) + part->first / p->group) *
              ET_PANEL; /* of scales and zero points */
  for (size_t g = 0; g * part->group < part->depth; g++, at += ET_PANEL) {
    et_f32 values[ET_PANEL_VECTORS];
    if (HAS_DIGITS(bits)) {
      sum_digits(p, part, g, words, at, values);
    } else {
      sum_floats(p, part, g, words, at, bits, values);
    }
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      const et_f32 scale =
          et_parameters_load(&p->scales, at + v * ET_CPU_LANES);
      totals[v] = et_f32_fma(scale, values[v], totals[v]);
      if (p->minima.data != NULL) {
        totals[v] =
            et_f32_fma(et_parameters_load(&p->minima, at + v * ET_CPU_LANES),
                       et_f32_all(part->sums[g]), totals[v]);
      }
    }
    words += count * ET_PANEL;
  }
}

/* Sums begin with the bias, or with what the part before has left in the
 * output. */
static void begin_sums(const et_cpu_product_q *p, const part *part,
                       size_t first, size_t columns, et_f32 *totals) {
  const float *from = part->first == 0 ? p->bias : p->out;
  for (size_t c = 0; c < columns; c += ET_CPU_LANES, totals++) {
    const size_t count = smaller(columns - c, ET_CPU_LANES);
    *totals = et_f32_load_some(from + first + c, count);
  }
}

/* Writes `columns` results that begin with column `first`; those of the last part
 * are whole. */
static void end_sums(const et_cpu_product_q *p, const part *part, size_t first,
                     size_t columns, const et_f32 *totals) {
  const bool last = part->first + part->depth == p->depth;
  const et_f32 low =
      et_f32_all(last ? et_cpu_clamp_low(&p->activation) : -INFINITY);
  const et_f32 high =
      et_f32_all(last ? et_cpu_clamp_high(&p->activation) : INFINITY);
  for (size_t c = 0; c < columns; c += ET_CPU_LANES, totals++) {
    const size_t count = smaller(columns - c, ET_CPU_LANES);
    et_f32 sum = *totals;
    if (last && p->residual != NULL) {
      sum += et_f32_load_some(p->residual + first + c, count);
    }
    et_f32_store_some(p->out + first + c, et_f32_clamp(sum, low, high), count);
  }
  if (last && et_cpu_is_curve(&p->activation)) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (&p->activation, p->out + first, p->columns, 1, columns);
  }
}

static void run_panel(const et_cpu_product_q *p, const part *part,
                      size_t column, size_t columns) {
  et_f32 totals[ET_PANEL_VECTORS];
  begin_sums(p, part, column, columns, totals);
  if (p->bits == 4) {
    add_groups(p, part, column / ET_PANEL, 4, totals);
  } else {
    add_groups(p, part, column / ET_PANEL, 8, totals);
  }
  end_sums(p, part, column, columns, totals);
}

/* One panel after the other: memory is read ahead fastest where it is one
 * stream. */
void ET_CPU_NAME(et_cpu_product_q_row)(const et_cpu_product_q *product,
                                       const et_cpu_range *range) {
  part part;
  for (size_t k = 0; k < product->depth; k += part.depth) {
    put_part(product, k, &part);
    for (size_t c = 0; c < range->columns; c += ET_PANEL) {
      run_panel(product, &part, range->first_column + c,
                smaller(range->columns - c, ET_PANEL));
    }
  }
}
