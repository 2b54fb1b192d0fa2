#include "backends/cpu/schema/gemm_qd8_qbw.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t rows, groups, group, columns, bits;
  bool shifted, clamp, unsummed; /* omit the sums of quantized values */
  et_scalar_type scales;
} shape;

enum { X, WORDS, SCALES, BIAS, MORE };

static int32_t panel_count(const shape *s) { return (s->columns + 15) / 16; }

static int32_t code(const et_test_op *test, const shape *s, size_t k,
                    size_t n) {
  const size_t per_word = 32 / (size_t)s->bits;
  const size_t words = (size_t)(s->groups * s->group) / per_word;
  const uint32_t *all = test->tensors[WORDS].data;
  const uint32_t word = all[(n / 16 * words + k / per_word) * 16 + n % 16];
  const int32_t bits = (int32_t)(word >> (k % per_word * (size_t)s->bits) &
                                 ((1u << s->bits) - 1u));
  return bits - (bits >> (s->bits - 1) ? 1 << s->bits : 0);
}

/* Returns the index of a parameter of a group. */
static size_t place(const shape *s, size_t group, size_t n) {
  return (n / 16 * (size_t)s->groups + group) * 16 + n % 16;
}

static double weight(const et_test_op *test, const shape *s, size_t k,
                     size_t n) {
  const size_t at = place(s, k / (size_t)s->group, n);
  const double scale = et_test_at(&test->tensors[SCALES], at);
  const float zero =
      s->shifted ? ((const float *)test->tensors[MORE].data)[at] : 0.0f;
  return ((double)code(test, s, k, n) - (double)zero) * scale;
}

static void put_column_sums(et_test_op *test, const shape *s) {
  float *sums = test->tensors[s->shifted ? MORE + 1 : MORE].data;
  for (size_t n = 0; n < (size_t)panel_count(s) * 16; n++) {
    double sum = 0;
    for (size_t k = 0; k < (size_t)(s->groups * s->group); k++) {
      sum += weight(test, s, k, n);
    }
    sums[n] = (float)sum;
  }
}

static void put_sums(et_test_op *test, const shape *s) {
  int32_t *sums = test->tensors[s->shifted ? MORE + 1 : MORE].data;
  for (size_t n = 0; n < (size_t)panel_count(s) * 16; n++) {
    for (size_t group = 0; group < (size_t)s->groups; group++) {
      int32_t sum = 0;
      for (size_t k = 0; k < (size_t)s->group; k++) {
        sum += code(test, s, group * (size_t)s->group + k, n);
      }
      sums[place(s, group, n)] = sum;
    }
  }
}

static void make(et_test_op *test, const shape *s) {
  const int32_t depth = s->groups * s->group;
  const int32_t panels = panel_count(s);
  const int32_t bias = panels * 16;
  const int32_t parameters[3] = {panels, s->groups, 16};
  et_test_begin(test, &et_cpu_op_gemm_qd8_qbw);
  et_test_input(test, F32, 2, (int32_t[]){s->rows, depth});
  et_test_input(test, ET_SCALAR_TYPE_INT32, 3,
                (int32_t[]){panels, depth * s->bits / 32, 16});
  et_test_input(test, s->scales, 3, parameters);
  et_test_input(test, F32, 1, &bias);
  if (s->shifted) {
    et_test_input(test, F32, 3, parameters);
  }
  if (!s->unsummed && s->bits == 4) {
    et_test_input(test, F32, 1, &bias);
  } else if (!s->unsummed) {
    et_test_input(test, ET_SCALAR_TYPE_INT32, 3, parameters);
  }
  et_test_output(test, F32, 2, (int32_t[]){s->rows, s->columns});
  et_test_int(test, s->bits);
  et_test_int(test, s->shifted);
  et_test_int(test, s->clamp ? 1 : 0);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
  if (!s->unsummed && s->bits == 4) {
    put_column_sums(test, s);
  } else if (!s->unsummed) {
    put_sums(test, s);
  }
}

/* Quantizes a row of x dynamically and dequantizes it. */
static void round_row(const float *x, size_t depth, double *to) {
  float low = 0.0f;
  float high = 0.0f;
  for (size_t k = 0; k < depth; k++) {
    low = fminf(low, x[k]);
    high = fmaxf(high, x[k]);
  }
  const float scale = fmaxf((high - low) / 255.0f, FLT_EPSILON);
  const float inverse = 1.0f / scale;
  const float zero = fminf(fmaxf(-rintf(low / scale), 0.0f), 255.0f);
  for (size_t k = 0; k < depth; k++) {
    const float byte = fminf(fmaxf(rintf(x[k] * inverse) + zero, 0.0f), 255.0f);
    to[k] = (double)(byte - zero) * (double)scale;
  }
}

static double element(const et_test_op *test, const shape *s, const double *row,
                      size_t n, double *margin) {
  double sum = ((const float *)test->tensors[BIAS].data)[n];
  double size = fabs(sum);
  for (size_t k = 0; k < (size_t)(s->groups * s->group); k++) {
    const double product = row[k] * weight(test, s, k, n);
    sum += product;
    size += fabs(product);
  }
  *margin = 1e-6 + 1e-6 * size;
  return !s->clamp ? sum : sum < -0.5 ? -0.5 : sum > 0.75 ? 0.75 : sum;
}

static void check_product(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t depth = (size_t)(s->groups * s->group);
  const size_t columns = (size_t)s->columns;
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + depth + 1) * sizeof(double));
  assert_non_null(expected);
  double *row = expected + 2 * count;
  for (size_t m = 0; m < (size_t)s->rows; m++) {
    round_row((const float *)test.tensors[X].data + m * depth, depth, row);
    for (size_t n = 0; n < columns; n++) {
      const size_t i = m * columns + n;
      expected[i] = element(&test, s, row, n, &expected[count + i]);
    }
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    const int32_t bits = et_test_below(2) == 0 ? 4 : 8;
    const shape s = {1 + (int32_t)et_test_below(i % 2 == 0 ? 1 : 60),
                     1 + (int32_t)et_test_below(5),
                     32 / bits * (1 + (int32_t)et_test_below(9)),
                     1 + (int32_t)et_test_below(90),
                     bits,
                     et_test_below(2) == 0,
                     et_test_below(2) == 0,
                     bits == 4 && et_test_below(2) == 0,
                     F32};
    check_product(&s);
  }
}

/* Covers scales of each dtype, with and without zero points, for one row and for a row that follows
 * a pair. */
static void test_last_odd_row_with_each_parameter_format(void **state) {
  (void)state;
  const et_scalar_type dtypes[] = {F32, ET_SCALAR_TYPE_FLOAT16,
                                   ET_SCALAR_TYPE_BFLOAT16};
  const int32_t groups[] = {8, 32, 40, 64};
  for (int32_t i = 0; i < 48; i++) {
    const shape s = {
        i % 2 == 0 ? 1 : 3, 5,    groups[i / 12], i % 5 + 39,       4,
        i / 2 % 2 == 0,     true, true,           dtypes[i / 4 % 3]};
    check_product(&s);
  }
}

static void test_largest_groups_with_different_row_counts(void **state) {
  (void)state;
  const shape shapes[] = {{0, 2, 32, 20, 4, false, false, false, F32},
                          {25, 1, 512, 33, 8, true, true, false, F32},
                          {2, 2, 512, 530, 4, false, true, true, F32},
                          {33, 3, 512, 17, 4, true, false, true, F32},
                          {1, 300, 8, 40, 4, true, false, false, F32},
                          {40, 70, 32, 40, 4, false, true, true, F32},
                          {120, 2, 16, 18, 4, true, false, false, F32}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_product(&shapes[i]);
  }
}

static void test_rows_of_zeros_yield_the_bias(void **state) {
  (void)state;
  const shape s = {1, 1, 8, 16, 4, true, false, false, F32};
  et_test_op test;
  double expected[16];
  double margin[16] = {0};
  make(&test, &s);
  for (size_t i = 0; i < 16; i++) {
    expected[i] = ((const float *)test.tensors[BIAS].data)[i];
    ((float *)test.tensors[X].data)[i / 2] = 0.0f;
  }
  et_test_run(&test, expected, margin);
  et_test_end(&test);
}

/* If a row has NaN or infinity, its results are undefined, but the op must not access memory
 * outside its tensors. */
static void test_accepts_rows_of_nan_and_infinity(void **state) {
  (void)state;
  const shape s = {3, 1, 8, 16, 8, true, false, false, F32};
  et_test_op test;
  make(&test, &s);
  float *x = test.tensors[X].data;
  x[0] = NAN;
  x[9] = INFINITY;
  x[17] = -INFINITY;
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      const et_cpu_run run = {.isa = (uint8_t)isa};
      test.op.type->run(&test.op, &run);
    }
  }
  et_test_end(&test);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const shape s = {4, 2, 32, 20, 8, false, true, false, F32};
  et_test_op test;
  make(&test, &s);
  test.tensors[MORE].dtype = F32;
  et_test_refused(&test, "gemm_qd8_qbw: tensor 4 is float32, expected int32");
  test.tensors[MORE].dtype = ET_SCALAR_TYPE_INT32;
  test.attributes[1] = 1;
  et_test_refused(&test, "gemm_qd8_qbw: tensor 4 is int32, expected float32");
  test.attributes[1] = 2;
  et_test_refused(&test, "gemm_qd8_qbw: weights with minima");
  test.attributes[1] = 3;
  et_test_refused(&test, "gemm_qd8_qbw: attribute 1 is 3, expected 0 to 2");
  et_test_end(&test);
  const shape wide = {1, 1, 520, 16, 8, false, true, false, F32};
  make(&test, &wide);
  et_test_refused(&test, "gemm_qd8_qbw: groups of 520 weights");
  et_test_end(&test);
  const shape nibbles = {4, 2, 32, 20, 4, false, true, false, F32};
  make(&test, &nibbles);
  test.tensors[MORE].dtype = ET_SCALAR_TYPE_INT32;
  et_test_refused(&test, "gemm_qd8_qbw: tensor 4 is int32, expected float32");
  et_test_end(&test);
  const shape unsummed = {1, 1, 32, 16, 8, false, true, true, F32};
  make(&test, &unsummed);
  et_test_refused(&test,
                  "gemm_qd8_qbw: 4 inputs; the sums of the 8-bit weights are "
                  "missing");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_shapes),
      cmocka_unit_test(test_last_odd_row_with_each_parameter_format),
      cmocka_unit_test(test_largest_groups_with_different_row_counts),
      cmocka_unit_test(test_rows_of_zeros_yield_the_bias),
      cmocka_unit_test(test_accepts_rows_of_nan_and_infinity),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
