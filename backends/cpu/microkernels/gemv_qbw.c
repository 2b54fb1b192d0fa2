/* Implements et_cpu_gemm_qbw_row of gemm_qbw.h: GEMV of one row and 4-bit or 8-bit weights.
 *
 *   y = activation(x @ weights + bias + residual)
 *
 * x is prepared in parts of up to PART_DEPTH elements: for 4-bit weights as fixed-point values of
 * three int8 digits (digits.h), otherwise as float32. Words of weights are [panel][K * bits /
 * 32][16]. The tile is one panel; each word is read once. Sums over a group are scaled and added to
 * float32 totals. Between two parts, y holds the totals. Memory bandwidth is the bottleneck. */
#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/digits.h"
#include "backends/cpu/microkernels/low_bit_values.h"
#include "backends/cpu/microkernels/parameters.h"
#include "backends/cpu/microkernels/rows.h"
#include "backends/cpu/microkernels/sums.h"
#include "runtime/core/arithmetic.h"

/* Maximum number of elements in a part of x. A part is stored on the stack. */
#define PART_DEPTH 2048
#define MIN_GROUP 4

/* Whether x is converted to digits. Unpacking 4-bit weights to int8 and multiplying them by three
 * digits takes a third of the time of widening the weights to float32. */
#if ET_CPU_ROUNDS_TWICE
#define HAS_DIGITS(bits) false
#else
#define HAS_DIGITS(bits) ((bits) == 4)
#endif

/* A part of x. Weights are masked but not shifted down within their words, so each element is
 * divided by the place value of its weight's lowest bit. */
typedef struct part {
  size_t first; /* element of x */
  size_t depth;
  size_t group; /* elements that share a scale */
  size_t few;   /* elements that share a unit of digits; divides `group` */
  float x[PART_DEPTH];
  float sums[PART_DEPTH / MIN_GROUP];    /* sum of x per group, if needed */
  et_word_digits digits[PART_DEPTH / 8]; /* replaces `x`, with HAS_DIGITS */
  et_group_digits units[PART_DEPTH / 8]; /* one per `few` elements */
} part;

/* Returns the depth of a part: whole groups, or a piece of a group that exceeds PART_DEPTH. */
static size_t part_depth(const et_cpu_gemm_qbw *p, size_t first) {
  if (p->group > PART_DEPTH) {
    return et_min_size(p->group - first % p->group, PART_DEPTH);
  }
  return et_min_size(p->depth - first, PART_DEPTH / p->group * p->group);
}

/* Returns the largest divisor of the group size that is a valid number of elements per unit. */
static size_t few_of(size_t group) {
  size_t few = et_min_size(group, ET_DIGITS_GROUP);
  while (group % few != 0) {
    few -= 8;
  }
  return few;
}

static void put_digits(const float *x, part *to) {
  to->few = few_of(to->group);
  for (size_t k = 0; k < to->depth; k += to->few) {
    to->units[k / to->few] = et_put_digits(x + k, to->few, to->digits + k / 8);
  }
}

static void put_floats(const et_cpu_gemm_qbw *p, const float *x, part *to) {
  const size_t per_word = 32 / p->bits;
  for (size_t j = 0; j < per_word; j++) {
    const float factor = 1.0f / et_weight_unit(j, p->bits);
    for (size_t k = j; k < to->depth; k += per_word) {
      to->x[k] = x[k] * factor;
    }
  }
}

static void put_sums(const float *x, part *to) {
  for (size_t k = 0; k < to->depth; k += to->group) {
    to->sums[k / to->group] = et_row_sum(x + k, to->group);
  }
}

static bool has_offsets(const et_cpu_gemm_qbw *p) {
  return p->zero_points.data != NULL || p->minima.data != NULL;
}

static void put_part(const et_cpu_gemm_qbw *p, size_t first, part *to) {
  const float *x = p->x + first;
  to->first = first;
  to->depth = part_depth(p, first);
  to->group = et_min_size(p->group, to->depth);
  if (HAS_DIGITS(p->bits)) {
    put_digits(x, to);
  } else {
    put_floats(p, x, to);
  }
  if (!HAS_DIGITS(p->bits) || has_offsets(p)) {
    put_sums(x, to);
  }
}

/* Independent accumulators per column, which hide the latency of FMA. */
#define CHAINS 4
typedef et_f32 chains[CHAINS][ET_PANEL_VECTORS];

/* Adds x[k] times the weights of a group, with the offset of et_unsigned_weights. */
ET_INLINE void add_weights(const float *x, const int32_t *words, size_t count,
                           int bits, chains sums) {
  const int per_word = 32 / bits;
  for (size_t i = 0; i < count; i++, words += ET_CPU_PANEL, x += per_word) {
    et_u32 w[ET_PANEL_VECTORS];
    et_prefetch_near(words + ET_PREFETCH_WORDS);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      w[v] = et_unsigned_weights(et_words_load(words + v * ET_CPU_LANES), bits);
    }
    ET_UNROLL for (int j = 0; j < per_word; j++) {
      const et_f32 all = et_f32_all(x[j]);
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        et_f32 *sum = &sums[j % CHAINS][v];
        *sum = et_f32_fma(all, et_weight_in_place(w[v], j, bits), *sum);
      }
    }
  }
}

/* Computes the sums of a group in float32. Weights have an offset of 2^(bits - 1). To compensate,
 * the accumulators start at -2^(bits - 1) times the sum of x. */
ET_INLINE void sum_floats(const part *part, size_t group, const int32_t *words,
                          int bits, et_f32 *values) {
  const float offset = (float)(1 << (bits - 1));
  chains sums;
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    sums[0][v] = et_f32_all(offset * -part->sums[group]);
    ET_UNROLL for (int c = 1; c < CHAINS; c++) {
      sums[c][v] = et_f32_all(0.0f);
    }
  }
  add_weights(part->x + group * part->group, words,
              part->group * (size_t)bits / 32, bits, sums);
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    values[v] = (sums[0][v] + sums[1][v]) + (sums[2][v] + sums[3][v]);
  }
}

/* Exact sums of digits times weights with an offset of 8. If a panel is one vector, even and odd
 * weights have separate accumulators. That halves the dependency chain and is 1.04x faster. Panels
 * of several vectors have enough chains already, and no registers left for more. */
#define SUMS (ET_PANEL_VECTORS == 1 ? 2 : 1)
#if ET_SUMS_OF_16
typedef et_i16 of_digits[ET_DIGITS][SUMS][ET_PANEL_VECTORS];
#define ADD_QUAD et_i16_dot2
#else
typedef et_i32 of_digits[ET_DIGITS][SUMS][ET_PANEL_VECTORS];
#define ADD_QUAD et_i32_dot4_of_7_bits
#endif

ET_INLINE et_i8 quad_at(const uint8_t *bytes) {
  int32_t quad;
  memcpy(&quad, bytes, sizeof(quad));
  return (et_i8)et_i32_all(quad);
}

ET_INLINE void add_words(const et_word_digits *digits, const int32_t *words,
                         size_t count, of_digits sums) {
  for (size_t i = 0; i < count; i++, words += ET_CPU_PANEL, digits++) {
    et_nibbles per_word[ET_PANEL_VECTORS];
    et_prefetch_near(words + ET_PREFETCH_WORDS);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      et_i32 w = et_words_load(words + v * ET_CPU_LANES);
      ET_PIN(w); /* otherwise, it is loaded twice */
      per_word[v] = et_nibbles_of(w);
    }
    ET_UNROLL for (int d = 0; d < ET_DIGITS; d++) {
      const et_i8 even = quad_at((*digits)[d]);
      const et_i8 odd = quad_at((*digits)[d] + 4);
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        sums[d][0][v] = ADD_QUAD(sums[d][0][v], per_word[v].even, even);
        sums[d][SUMS - 1][v] =
            ADD_QUAD(sums[d][SUMS - 1][v], per_word[v].odd, odd);
        ET_PIN(sums[d][0][v]); /* otherwise, accumulators are spilled */
        ET_PIN(sums[d][SUMS - 1][v]);
      }
    }
  }
}

#if !ET_SUMS_OF_16
ET_INLINE et_u32 sum_of(et_i32 sums[SUMS][ET_PANEL_VECTORS], int v) {
  const et_u32 even = (et_u32)sums[0][v];
  return SUMS == 1 ? even : even + (et_u32)sums[SUMS - 1][v];
}
#endif

/* Combines the sums of three digits, modulo 2^32. */
ET_INLINE et_i32 joined(of_digits sums, int v, int32_t off) {
#if ET_SUMS_OF_16
  const __m256i bytes = _mm256_set1_epi16(256);
  const __m256i middle = _mm256_madd_epi16((__m256i)sums[1][0][v], bytes);
  const __m256i high = _mm256_madd_epi16((__m256i)sums[2][0][v], bytes);
  const et_i32 low = et_i32_add2(et_i32_all(off), sums[0][0][v]);
  return (et_i32)((et_u32)low + (et_u32)middle + ((et_u32)high << 8));
#else
  return (et_i32)((et_u32)et_i32_all(off) + sum_of(sums[0], v) +
                  (sum_of(sums[1], v) << 8) + (sum_of(sums[2], v) << 16));
#endif
}

/* Computes the sums of a group from digits. is_one: all elements of the group share one unit. */
ET_INLINE void sum_digits(const part *part, size_t group, const int32_t *words,
                          bool is_one, et_f32 *values) {
  const size_t summands = is_one ? ET_DIGITS_GROUP : part->few;
  const size_t count = is_one ? 1 : part->group / summands;
  const et_group_digits *few = part->units + group * count;
  const et_word_digits *digits = part->digits + group * part->group / 8;
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    values[v] = et_f32_all(0.0f);
  }
  for (size_t f = 0; f < count; f++, few++) {
    of_digits sums = {{{{0}}}};
    add_words(digits, words, summands / 8, sums);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      const et_f32 sum = et_f32_of_i32(joined(sums, v, few->off));
      values[v] = et_f32_fma(sum, et_f32_all(few->unit), values[v]);
    }
    digits += summands / 8;
    words += summands / 8 * ET_CPU_PANEL;
  }
}

/* Without minima, subtracts zero points times the sum of x from `values`. With minima, adds
 * 2^(bits - 1) times the sum of x to `values`, and the minima times the sum of x to `totals`. */
ET_INLINE void add_offsets(const et_cpu_gemm_qbw *p, size_t at, float row_sum,
                           int bits, et_f32 *values, et_f32 *totals) {
  const et_f32 sum = et_f32_all(row_sum);
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++, at += ET_CPU_LANES) {
    if (p->minima.data != NULL) {
      const et_f32 middle = et_f32_all((float)(1 << (bits - 1)));
      values[v] = et_f32_fma(middle, sum, values[v]);
      totals[v] =
          et_f32_fma(et_parameters_load(&p->minima, at), sum, totals[v]);
    } else {
      values[v] =
          et_f32_fma(et_parameters_load(&p->zero_points, at), -sum, values[v]);
    }
  }
}

/* Common combinations of parameters for groups of ET_DIGITS_GROUP weights: a float32 scale, a
 * bfloat16 scale, or a float16 scale and minimum. Specialized loops are 1.09x (AVX2) and 1.03x
 * (AVX-512) faster. */
typedef enum form { ANY, FLOAT_SCALES, BFLOAT_SCALES, HALF_MINIMA } form;

static form form_of(const et_cpu_gemm_qbw *p, const part *part) {
  const bool is_float16 = p->scales.width == ET_CPU_FLOAT16 &&
                          p->minima.data != NULL &&
                          p->minima.width == ET_CPU_FLOAT16;
  if (!HAS_DIGITS(p->bits) || part->group != ET_DIGITS_GROUP) {
    return ANY;
  }
  if (has_offsets(p)) {
    return is_float16 ? HALF_MINIMA : ANY;
  }
  return p->scales.width == ET_CPU_FLOAT32    ? FLOAT_SCALES
         : p->scales.width == ET_CPU_BFLOAT16 ? BFLOAT_SCALES
                                              : ANY;
}

/* Returns the arguments, with the parameters of their form as compile-time constants. */
ET_INLINE et_cpu_gemm_qbw in_form(const et_cpu_gemm_qbw *product, form is) {
  et_cpu_gemm_qbw p = *product;
  if (is == ANY) {
    return p;
  }
  p.zero_points.data = NULL;
  p.minima.width = ET_CPU_FLOAT16;
  p.scales.width = is == HALF_MINIMA     ? ET_CPU_FLOAT16
                   : is == BFLOAT_SCALES ? ET_CPU_BFLOAT16
                                         : ET_CPU_FLOAT32;
  if (is != HALF_MINIMA) {
    p.minima.data = NULL;
  }
  return p;
}

/* Adds the sums of the groups, multiplied by their scales, and the terms of minima. */
ET_INLINE void add_groups(const et_cpu_gemm_qbw *product, const part *part,
                          size_t panel, int bits, form is, et_f32 *totals) {
  const et_cpu_gemm_qbw p = in_form(product, is);
  const size_t count = part->group * (size_t)bits / 32;
  const int32_t *words = p.words + (panel * p.depth + part->first) *
                                       (size_t)bits / 32 * ET_CPU_PANEL;
  const size_t scales_ahead =
      ET_PREFETCH_WORDS / ET_CPU_PANEL / 2 / count * ET_CPU_PANEL;
  size_t at = (panel * (p.depth / p.group) + part->first / p.group) *
              ET_CPU_PANEL; /* index of the parameters */
  for (size_t g = 0; g * part->group < part->depth; g++, at += ET_CPU_PANEL) {
    et_f32 values[ET_PANEL_VECTORS];
    et_scales_fetch(&p.scales, at + scales_ahead);
    if (HAS_DIGITS(bits)) {
      sum_digits(part, g, words, is != ANY, values);
    } else {
      sum_floats(part, g, words, bits, values);
    }
    if (has_offsets(&p)) {
      add_offsets(&p, at, part->sums[g], bits, values, totals);
    }
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      const et_f32 scale =
          et_scales_load(&p.scales, at + (size_t)v * ET_CPU_LANES);
      totals[v] = et_f32_fma(scale, values[v], totals[v]);
    }
    words += count * ET_CPU_PANEL;
  }
}

/* Initializes the totals with the bias, or with the output of the previous part. */
static void begin_sums(const et_cpu_gemm_qbw *p, const part *part, size_t first,
                       size_t columns, et_f32 *totals) {
  const float *from = part->first == 0 ? p->bias : p->out;
  for (size_t c = 0; c < columns; c += ET_CPU_LANES, totals++) {
    const size_t count = et_min_size(columns - c, ET_CPU_LANES);
    *totals = et_f32_load_some(from + first + c, count);
  }
}

/* Writes `columns` results, starting at column `first`. The last part adds the residual and applies
 * the activation. */
static void end_sums(const et_cpu_gemm_qbw *p, const part *part, size_t first,
                     size_t columns, const et_f32 *totals) {
  const bool last = part->first + part->depth == p->depth;
  const et_f32 low =
      et_f32_all(last ? et_cpu_clamp_low(&p->activation) : -INFINITY);
  const et_f32 high =
      et_f32_all(last ? et_cpu_clamp_high(&p->activation) : INFINITY);
  for (size_t c = 0; c < columns; c += ET_CPU_LANES, totals++) {
    const size_t count = et_min_size(columns - c, ET_CPU_LANES);
    et_f32 sum = *totals;
    if (last && p->residual != NULL) {
      sum += et_f32_load_some(p->residual + first + c, count);
    }
    et_f32_store_some(p->out + first + c, et_f32_clamp(sum, low, high), count);
  }
  if (last && et_cpu_is_curve(&p->activation)) {
    ET_CPU_FLOAT_NAME(et_cpu_activate_f32)
    (&p->activation, p->out + first, p->columns, 1, columns);
  }
}

/* Each copy has its parameters as constants and its own register allocation. */
#define DEFINE_PANEL(name, bits, form)                              \
  ET_NOINLINE void name(const et_cpu_gemm_qbw *p, const part *part, \
                        size_t column, size_t columns) {            \
    et_f32 totals[ET_PANEL_VECTORS];                                \
    begin_sums(p, part, column, columns, totals);                   \
    add_groups(p, part, column / ET_CPU_PANEL, bits, form, totals); \
    end_sums(p, part, column, columns, totals);                     \
  }
DEFINE_PANEL(run_panel_4, 4, ANY)
DEFINE_PANEL(run_panel_of_floats, 4, FLOAT_SCALES)
DEFINE_PANEL(run_panel_of_bfloat16, 4, BFLOAT_SCALES)
DEFINE_PANEL(run_panel_of_float16, 4, HALF_MINIMA)
DEFINE_PANEL(run_panel_8, 8, ANY)

static void run_panel(const et_cpu_gemm_qbw *p, const part *part, size_t column,
                      size_t columns) {
  if (p->bits == 8) {
    run_panel_8(p, part, column, columns);
    return;
  }
  switch (form_of(p, part)) {
    case FLOAT_SCALES:
      run_panel_of_floats(p, part, column, columns);
      return;
    case BFLOAT_SCALES:
      run_panel_of_bfloat16(p, part, column, columns);
      return;
    case HALF_MINIMA:
      run_panel_of_float16(p, part, column, columns);
      return;
    default:
      run_panel_4(p, part, column, columns);
  }
}

/* Prefetches the first words of a panel for a part. The words of the first panel arrive while x is
 * converted to digits. */
static void prefetch_first(const et_cpu_gemm_qbw *p, size_t panel,
                           size_t first) {
  const int32_t *words =
      p->words + (panel * p->depth + first) * p->bits / 32 * ET_CPU_PANEL;
  for (size_t i = 0; i < ET_PREFETCH_WORDS; i += ET_CPU_PANEL) {
    et_prefetch_near(words + i);
  }
}

static size_t panels_of(const et_cpu_gemm_qbw *p) {
  return (p->columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL;
}

/* Computes panels `first` to `end - 1` of one GEMM, one after the other: hardware prefetching is
 * fastest for a single stream. */
static void run_panels(const et_cpu_gemm_qbw *p, const part *part, size_t first,
                       size_t end) {
  for (size_t c = first * ET_CPU_PANEL; c < end * ET_CPU_PANEL;
       c += ET_CPU_PANEL) {
    run_panel(p, part, c, et_min_size(p->columns - c, ET_CPU_PANEL));
  }
}

/* Computes panels `first` to `end - 1`, counted from the first panel of `p`. They may belong to
 * GEMMs that follow `p`. */
static void run_gemms(const et_cpu_gemm_qbw *p, const part *part, size_t first,
                      size_t end) {
  while (end > panels_of(p)) {
    run_panels(p, part, first, panels_of(p));
    end -= panels_of(p);
    first = 0;
    p++;
    prefetch_first(p, 0, part->first);
  }
  run_panels(p, part, first, end);
}

void ET_CPU_NAME(et_cpu_gemm_qbw_row)(const et_cpu_panels_q *panels) {
  const et_cpu_gemm_qbw *p = panels->products;
  size_t before = 0; /* panels of the GEMMs before the first one that runs */
  while (panels->first - before >= panels_of(p)) {
    before += panels_of(p);
    p++;
  }
  part part;
  for (size_t k = 0; k < p->depth; k += part.depth) {
    prefetch_first(p, panels->first - before, k);
    put_part(p, k, &part);
    run_gemms(p, &part, panels->first - before, panels->end - before);
  }
}
