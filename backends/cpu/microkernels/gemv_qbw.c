/* One row times weights of few bits: each code is read once. */
#include "backends/cpu/microkernels/activate.h"
#include "backends/cpu/microkernels/digits.h"
#include "backends/cpu/microkernels/low_bit_values.h"
#include "backends/cpu/microkernels/parameters.h"
#include "backends/cpu/microkernels/rows.h"
#include "backends/cpu/microkernels/sums.h"

/* Words of a panel ahead that are asked for, lines of the cache: a core that reads 50
 * bytes a nanosecond, with memory 130 away, has a hundred on their way. A decode step takes
 * 0.89 of the time that it does with 56 lines there, and 0.93 of 32 where memory is slower. */
#define AHEAD (112 * ET_PANEL)

/* Most summands of a part of the row, which lies on the stack. */
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
  size_t
      few; /* summands of one unit of digits; groups are whole ones of these */
  float x[PART_DEPTH];
  float
      sums[PART_DEPTH / LEAST_GROUP]; /* of the row in each group, if needed */
  et_word_digits digits[PART_DEPTH / 8]; /* in place of x, where HAS_DIGITS */
  et_group_digits units[PART_DEPTH / 8]; /* of each few */
} part;

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Of whole groups, or where one is longer than a part, of some of it. */
static size_t part_depth(const et_cpu_gemm_qbw *p, size_t first) {
  if (p->group > PART_DEPTH) {
    return smaller(p->group - first % p->group, PART_DEPTH);
  }
  return smaller(p->depth - first, PART_DEPTH / p->group * p->group);
}

/* The most summands that have a unit, of which a group is made. */
static size_t few_of(size_t group) {
  size_t few = smaller(group, ET_DIGITS_SUMMANDS);
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
  const size_t codes = 32 / p->bits;
  for (size_t j = 0; j < codes; j++) {
    const float factor = 1.0f / et_code_unit(j, p->bits);
    for (size_t k = j; k < to->depth; k += codes) {
      to->x[k] = x[k] * factor;
    }
  }
}

static void put_sums(const float *x, part *to) {
  for (size_t k = 0; k < to->depth; k += to->group) {
    to->sums[k / to->group] = et_row_sum(x + k, to->group);
  }
}

static bool has_shifts(const et_cpu_gemm_qbw *p) {
  return p->zero_points.data != NULL || p->minima.data != NULL;
}

static void put_part(const et_cpu_gemm_qbw *p, size_t first, part *to) {
  const float *x = p->x + first;
  to->first = first;
  to->depth = part_depth(p, first);
  to->group = smaller(p->group, to->depth);
  if (HAS_DIGITS(p->bits)) {
    put_digits(x, to);
  } else {
    put_floats(p, x, to);
  }
  if (!HAS_DIGITS(p->bits) || has_shifts(p)) {
    put_sums(x, to);
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
    et_prefetch_near(words + AHEAD);
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

/* Sums of a group of products, floats. By how much codes are raised, times the sum of
 * a group of the row, is taken off before its products are added. */
ET_INLINE void sum_floats(const part *part, size_t group, const int32_t *words,
                          int bits, et_f32 *values) {
  const float raised = (float)(1 << (bits - 1));
  chains sums;
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    sums[0][v] = et_f32_all(raised * -part->sums[group]);
    ET_UNROLL for (int c = 1; c < CHAINS; c++) {
      sums[c][v] = et_f32_all(0.0f);
    }
  }
  add_codes(part->x + group * part->group, words,
            part->group * (size_t)bits / 32, bits, sums);
  ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
    values[v] = (sums[0][v] + sums[1][v]) + (sums[2][v] + sums[3][v]);
  }
}

/* Sums of digits' products with raised codes, exact. Where a panel is one vector, even and
 * odd codes have sums of their own: each waits for half as many products, which takes 0.96
 * of the time. More vectors are enough, and have no registers for it. */
#define SUMS (ET_PANEL_VECTORS == 1 ? 2 : 1)
#if ET_SUMS_OF_16
typedef et_i16 of_digits[ET_DIGITS][SUMS][ET_PANEL_VECTORS];
#define ADD_QUAD et_i16_dot2
#else
typedef et_i32 of_digits[ET_DIGITS][SUMS][ET_PANEL_VECTORS];
#define ADD_QUAD et_i32_dot4
#endif

ET_INLINE et_i8 quad_at(const uint8_t *bytes) {
  int32_t quad;
  memcpy(&quad, bytes, sizeof(quad));
  return (et_i8)et_i32_all(quad);
}

ET_INLINE void add_words(const et_word_digits *digits, const int32_t *words,
                         size_t count, of_digits sums) {
  for (size_t i = 0; i < count; i++, words += ET_PANEL, digits++) {
    et_nibbles codes[ET_PANEL_VECTORS];
    et_prefetch_near(words + AHEAD);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      et_i32 w = et_words_load(words + v * ET_CPU_LANES);
      ET_PIN(w); /* else it is loaded twice */
      codes[v] = et_nibbles_of(w);
    }
    ET_UNROLL for (int d = 0; d < ET_DIGITS; d++) {
      const et_i8 even = quad_at((*digits)[d]);
      const et_i8 odd = quad_at((*digits)[d] + 4);
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        sums[d][0][v] = ADD_QUAD(sums[d][0][v], codes[v].even, even);
        sums[d][SUMS - 1][v] =
            ADD_QUAD(sums[d][SUMS - 1][v], codes[v].odd, odd);
        ET_PIN(sums[d][0][v]); /* else products wait in memory for each other */
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

/* The sum of some numbers' products of three digits, modulo 2^32. */
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

/* Sums of a group of products, by digits; `is_one`: of summands that have one unit. */
ET_INLINE void sum_digits(const part *part, size_t group, const int32_t *words,
                          bool is_one, et_f32 *values) {
  const size_t summands = is_one ? ET_DIGITS_SUMMANDS : part->few;
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
    words += summands / 8 * ET_PANEL;
  }
}

/* Takes off zero points times the row's sum, or adds what minima and the codes'
 * middle give with it. */
ET_INLINE void shift_values(const et_cpu_gemm_qbw *p, size_t at, float row_sum,
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

/* What groups of ET_DIGITS_SUMMANDS codes often have beside these: a float
 * scale; a scale of bfloat16; a scale and a minimum of float16. A loop that does not ask
 * for more takes 0.92 (AVX2) and 0.97 (AVX-512) of the time. */
typedef enum form { ANY, FLOAT_SCALES, BFLOAT_SCALES, HALF_MINIMA } form;

static form form_of(const et_cpu_gemm_qbw *p, const part *part) {
  const bool has_halves = p->scales.width == ET_CPU_FLOAT16 &&
                          p->minima.data != NULL &&
                          p->minima.width == ET_CPU_FLOAT16;
  if (!HAS_DIGITS(p->bits) || part->group != ET_DIGITS_SUMMANDS) {
    return ANY;
  }
  if (has_shifts(p)) {
    return has_halves ? HALF_MINIMA : ANY;
  }
  return p->scales.width == ET_CPU_FLOAT32    ? FLOAT_SCALES
         : p->scales.width == ET_CPU_BFLOAT16 ? BFLOAT_SCALES
                                              : ANY;
}

/* The same product, of which compilers know the form. */
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

/* Sums of the groups times their scales, added up, and the minima'. */
ET_INLINE void add_groups(const et_cpu_gemm_qbw *product, const part *part,
                          size_t panel, int bits, form is, et_f32 *totals) {
  const et_cpu_gemm_qbw p = in_form(product, is);
  const size_t count = part->group * (size_t)bits / 32;
  const int32_t *words =
      p.words + (panel * p.depth + part->first) * (size_t)bits / 32 * ET_PANEL;
  const size_t scales_ahead = AHEAD / ET_PANEL / 2 / count * ET_PANEL;
  size_t at = (panel * (p.depth / p.group) + part->first / p.group) *
              ET_PANEL; /* of scales, zero points and minima */
  for (size_t g = 0; g * part->group < part->depth; g++, at += ET_PANEL) {
    et_f32 values[ET_PANEL_VECTORS];
    et_scales_fetch(&p.scales, at + scales_ahead);
    if (HAS_DIGITS(bits)) {
      sum_digits(part, g, words, is != ANY, values);
    } else {
      sum_floats(part, g, words, bits, values);
    }
    if (has_shifts(&p)) {
      shift_values(&p, at, part->sums[g], bits, values, totals);
    }
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      const et_f32 scale =
          et_scales_load(&p.scales, at + (size_t)v * ET_CPU_LANES);
      totals[v] = et_f32_fma(scale, values[v], totals[v]);
    }
    words += count * ET_PANEL;
  }
}

/* Sums begin with the bias, or with what the part before has left in the
 * output. */
static void begin_sums(const et_cpu_gemm_qbw *p, const part *part, size_t first,
                       size_t columns, et_f32 *totals) {
  const float *from = part->first == 0 ? p->bias : p->out;
  for (size_t c = 0; c < columns; c += ET_CPU_LANES, totals++) {
    const size_t count = smaller(columns - c, ET_CPU_LANES);
    *totals = et_f32_load_some(from + first + c, count);
  }
}

/* Writes `columns` results that begin with column `first`; those of the last part
 * are whole. */
static void end_sums(const et_cpu_gemm_qbw *p, const part *part, size_t first,
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
    ET_CPU_FLOAT_NAME(et_cpu_activate_f32)
    (&p->activation, p->out + first, p->columns, 1, columns);
  }
}

/* Each copy of it has constants in place of what it is made for, and registers of its
 * own. */
#define DEFINE_PANEL(name, bits, form)                           \
  ET_APART void name(const et_cpu_gemm_qbw *p, const part *part, \
                     size_t column, size_t columns) {            \
    et_f32 totals[ET_PANEL_VECTORS];                             \
    begin_sums(p, part, column, columns, totals);                \
    add_groups(p, part, column / ET_PANEL, bits, form, totals);  \
    end_sums(p, part, column, columns, totals);                  \
  }
DEFINE_PANEL(run_panel_4, 4, ANY)
DEFINE_PANEL(run_panel_of_floats, 4, FLOAT_SCALES)
DEFINE_PANEL(run_panel_of_bfloats, 4, BFLOAT_SCALES)
DEFINE_PANEL(run_panel_of_halves, 4, HALF_MINIMA)
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
      run_panel_of_bfloats(p, part, column, columns);
      return;
    case HALF_MINIMA:
      run_panel_of_halves(p, part, column, columns);
      return;
    default:
      run_panel_4(p, part, column, columns);
  }
}

/* Asks for the words that a part of a panel begins with: those of the first one come while
 * the row becomes digits. */
static void ask_first(const et_cpu_gemm_qbw *p, size_t panel, size_t first) {
  const int32_t *words =
      p->words + (panel * p->depth + first) * p->bits / 32 * ET_PANEL;
  for (size_t i = 0; i < AHEAD; i += ET_PANEL) {
    et_prefetch_near(words + i);
  }
}

static size_t panels_of(const et_cpu_gemm_qbw *p) {
  return (p->columns + ET_PANEL - 1) / ET_PANEL;
}

/* Panels `first` to before `end` of one product. One panel after the other: memory is read
 * ahead fastest where it is one stream. */
static void run_panels(const et_cpu_gemm_qbw *p, const part *part, size_t first,
                       size_t end) {
  for (size_t c = first * ET_PANEL; c < end * ET_PANEL; c += ET_PANEL) {
    run_panel(p, part, c, smaller(p->columns - c, ET_PANEL));
  }
}

/* Panels `first` of `p` to before `end`, counted from its own on, which may be in those
 * after it. */
static void run_products(const et_cpu_gemm_qbw *p, const part *part,
                         size_t first, size_t end) {
  while (end > panels_of(p)) {
    run_panels(p, part, first, panels_of(p));
    end -= panels_of(p);
    first = 0;
    p++;
    ask_first(p, 0, part->first);
  }
  run_panels(p, part, first, end);
}

void ET_CPU_NAME(et_cpu_gemm_qbw_row)(const et_cpu_panels_q *panels) {
  const et_cpu_gemm_qbw *p = panels->products;
  size_t before = 0; /* panels of products before the first one that is run */
  while (panels->first - before >= panels_of(p)) {
    before += panels_of(p);
    p++;
  }
  part part;
  for (size_t k = 0; k < p->depth; k += part.depth) {
    ask_first(p, panels->first - before, k);
    put_part(p, k, &part);
    run_products(p, &part, panels->first - before, panels->end - before);
  }
}
