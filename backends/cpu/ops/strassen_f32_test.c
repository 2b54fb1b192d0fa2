#include "backends/cpu/schema/strassen_f32.h"
#include "backends/cpu/microkernels/strassen.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define PRODUCTS ET_CPU_STRASSEN_PRODUCTS
#define GROUP ET_CPU_STRASSEN_COLUMNS

typedef struct shape {
  int32_t rows, depth, columns; /* rows per batch entry */
  int32_t pairs;                /* row pairs per iteration */
  int32_t lanes;
  bool residual;
  int32_t activation;
  int32_t examples; /* batch size; 0: x is a matrix */
} shape;

/* Returns weights [depth][columns]. */
static float *random_weights(const shape *s) {
  const size_t count = (size_t)s->depth * (size_t)s->columns;
  float *weights = malloc(count * sizeof(float));
  assert_non_null(weights);
  for (size_t i = 0; i < count; i++) {
    weights[i] = et_test_number();
  }
  return weights;
}

/* Returns element (k, n) of the weight matrix that Strassen product `index` multiplies. */
static float sum_of_weights(const shape *s, const float *weights, size_t index,
                            size_t k, size_t n) {
  const size_t columns = (size_t)s->columns;
  const float *upper = weights + k * columns + n;
  const float *lower = upper + (size_t)s->depth / 2 * columns;
  const float a = upper[0];
  const float b = upper[columns / 2];
  const float c = lower[0];
  const float d = lower[columns / 2];
  const float sums[PRODUCTS] = {a, d - b + a,    c, b - a, d - b,
                                d, c - d + b - a};
  return sums[index];
}

/* Returns the index of the weight among the packed weights. */
static size_t packed_at(const shape *s, size_t index, size_t k, size_t n) {
  const size_t half = (size_t)s->depth / 2;
  const size_t first = n / GROUP * GROUP;
  const size_t left = (size_t)s->columns / 2 - first;
  const size_t width = left < GROUP ? left : GROUP;
  return (first * PRODUCTS + index * width + (n - first) / 16 * 16) * half +
         k * 16 + n % 16;
}

static void pack(const shape *s, const float *weights, float *packed) {
  for (size_t index = 0; index < PRODUCTS; index++) {
    for (size_t k = 0; k < (size_t)s->depth / 2; k++) {
      for (size_t n = 0; n < (size_t)s->columns / 2; n++) {
        packed[packed_at(s, index, k, n)] =
            sum_of_weights(s, weights, index, k, n);
      }
    }
  }
}

static void make(et_test_op *test, const shape *s, const float *weights) {
  const uint8_t rank = s->examples == 0 ? 2 : 3;
  const uint8_t left = 3 - rank;
  const int32_t x[3] = {s->examples, s->rows, s->depth};
  const int32_t panels[3] = {s->columns / 32 * PRODUCTS, s->depth / 2, 16};
  const int32_t y[3] = {s->examples, s->rows, s->columns};
  const int32_t sums[2] = {s->rows + 1, s->depth};
  const int32_t shared[2] = {s->lanes, s->pairs * GROUP};
  et_test_begin(test, &et_cpu_op_strassen_f32);
  et_test_input(test, F32, rank, x + left);
  pack(s, weights, et_test_input(test, F32, 3, panels));
  et_test_input(test, F32, 1, &y[2]);
  if (s->residual) {
    et_test_input(test, F32, rank, y + left);
  }
  et_test_output(test, F32, rank, y + left);
  et_test_workspace(test, F32, 2, sums);
  et_test_workspace(test, F32, 2, shared);
  et_test_int(test, s->activation);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
  et_test_int(test, s->pairs);
}

static double activated(const shape *s, double value) {
  switch (s->activation) {
    case 1:
      return value < -0.5 ? -0.5 : value > 0.75 ? 0.75 : value;
    case 9: /* leaky ReLU with slope -0.5 */
      return value < 0 ? -0.5 * value : value;
    default:
      return value;
  }
}

/* Returns the sum of the magnitudes of a value and, if it exists, of its counterpart in the other
 * half. */
static double magnitude(const float *values, size_t distance, bool has_both) {
  return fabs((double)values[0]) +
         (has_both ? fabs((double)values[distance]) : 0.0);
}

/* Returns the error bound. All terms of the pair of rows and both columns may be off by four units
 * in the last place, because intermediate results are as large as the sum of these terms. */
static double margin(const et_test_op *test, const shape *s,
                     const float *weights, size_t m, size_t n) {
  const size_t half = (size_t)s->depth / 2;
  const size_t columns = (size_t)s->columns;
  const size_t rows = (size_t)s->rows;
  const size_t pairs = et_cpu_strassen_pairs(rows);
  const size_t pair = m % rows % pairs;
  const bool has_both = pair + pairs < rows;
  const size_t upper = m / rows * rows + pair;
  const float *x = (const float *)test->tensors[0].data + upper * 2 * half;
  double size = 4;
  for (size_t k = 0; k < half; k++) {
    const float *w = weights + k * columns + n % (columns / 2);
    const size_t below = pairs * 2 * half;
    const double row = magnitude(x + k, below, has_both) +
                       magnitude(x + half + k, below, has_both);
    size += row * (magnitude(w, columns / 2, true) +
                   magnitude(w + half * columns, columns / 2, true));
  }
  return ldexp(size, -22);
}

/* Computes one element in double. The bias of the right half is stored as its difference from the
 * bias of the left half. */
static double element(const et_test_op *test, const shape *s,
                      const float *weights, size_t m, size_t n) {
  const float *x = (const float *)test->tensors[0].data + m * (size_t)s->depth;
  const float *bias = test->tensors[2].data;
  const size_t columns = (size_t)s->columns;
  double sum = (double)bias[n];
  if (n >= columns / 2) {
    sum += (double)bias[n - columns / 2];
  }
  for (size_t k = 0; k < (size_t)s->depth; k++) {
    sum += (double)x[k] * (double)weights[k * columns + n];
  }
  if (s->residual) {
    sum += (double)((const float *)test->tensors[3].data)[m * columns + n];
  }
  return activated(s, sum);
}

/* Checks the op, then frees the op and its weights. */
static void check_and_free(et_test_op *test, const shape *s, float *weights) {
  const size_t count = et_test_result(test)->numel;
  const size_t columns = (size_t)s->columns;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    expected[i] = element(test, s, weights, i / columns, i % columns);
    expected[count + i] = margin(test, s, weights, i / columns, i % columns);
  }
  et_test_run(test, expected, expected + count);
  free(expected);
  free(weights);
  et_test_end(test);
}

static void check_strassen(const shape *s) {
  float *weights = random_weights(s);
  et_test_op test;
  make(&test, s, weights);
  check_and_free(&test, s, weights);
}

/* Returns no activation, a clamp, or a leaky ReLU. */
static int32_t activation_of(size_t i) {
  const int32_t activations[] = {0, 1, 9};
  return activations[i % 3];
}

static void test_gemms_of_few_rows(void **state) {
  (void)state;
  for (int32_t rows = 0; rows <= 15; rows++) {
    for (int32_t lanes = 1; lanes <= 3; lanes++) {
      const shape s = {rows,
                       64,
                       32 * (1 + (rows + lanes) % 7),
                       1 + rows % 5,
                       lanes,
                       rows % 2 == 0,
                       activation_of((size_t)rows),
                       0};
      check_strassen(&s);
    }
  }
}

static void test_gemms_of_random_shapes(void **state) {
  (void)state;
  for (size_t i = 0; i < 30; i++) {
    const shape s = {1 + (int32_t)et_test_below(120),
                     32 * (1 + (int32_t)et_test_below(4)),
                     32 * (1 + (int32_t)et_test_below(9)),
                     1 + (int32_t)et_test_below(70),
                     1 + (int32_t)et_test_below(4),
                     et_test_below(2) == 0,
                     activation_of(i),
                     0};
    check_strassen(&s);
  }
}

static void test_large_k_spans_several_k_blocks(void **state) {
  (void)state;
  const shape shapes[] = {{27, 1632, 160, 14, 2, true, 1, 0},
                          {8, 2432, 96, 4, 1, false, 9, 0}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_strassen(&shapes[i]);
  }
}

/* The number of column groups is not a multiple of the number of threads: three groups with two
 * threads, and four or five groups with three threads. Rows are also divided. Some rows have too
 * many pairs for one workspace. */
static void test_group_counts_that_are_not_multiples_of_threads(void **state) {
  (void)state;
  const shape shapes[] = {{192, 32, 384, 126, 2, true, 1, 0},
                          {321, 32, 384, 64, 2, false, 9, 0},
                          {480, 32, 512, 126, 3, true, 1, 0},
                          {150, 32, 640, 75, 3, false, 1, 0}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_strassen(&shapes[i]);
  }
}

/* One batch entry has very large values, so that the test detects if its rows are paired with rows
 * of other entries. */
static void test_rows_of_different_examples_are_not_paired(void **state) {
  (void)state;
  for (int32_t lanes = 1; lanes <= 2; lanes++) {
    const shape s = {.examples = 3,
                     .rows = 7,
                     .depth = 64,
                     .columns = 96,
                     .pairs = 3,
                     .lanes = lanes,
                     .residual = lanes == 2};
    float *weights = random_weights(&s);
    et_test_op test;
    make(&test, &s, weights);
    float *x = test.tensors[0].data;
    const size_t size = (size_t)(s.rows * s.depth);
    for (size_t i = size; i < 2 * size; i++) {
      x[i] *= 1e20f;
    }
    check_and_free(&test, &s, weights);
  }
}

/* Sets *number to `value`, expects the given message, and restores the number. */
static void expect_size_rejected(et_test_op *test, int32_t *number,
                                 int32_t value, const char *message) {
  const int32_t before = *number;
  *number = value;
  et_test_refused(test, message);
  *number = before;
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const shape s = {5, 64, 96, 3, 2, true, 1, 0};
  float *weights = random_weights(&s);
  et_test_op test;
  make(&test, &s, weights);
  et_cpu_tensor *t = test.tensors;
  int32_t *pairs = (int32_t *)&test.attributes[3];
  expect_size_rejected(&test, &t[1].sizes[0], 20,
                       "strassen_f32: tensor 1, dim 0 is 20, expected 21");
  expect_size_rejected(&test, &t[1].sizes[1], 64,
                       "strassen_f32: tensor 1, dim 1 is 64, expected 32");
  expect_size_rejected(
      &test, &t[0].sizes[1], 48,
      "strassen_f32: the last dim of tensor 0 is 48, expected a multiple "
      "of 32");
  expect_size_rejected(&test, &t[0].sizes[1], 0,
                       "strassen_f32: the last dim of tensor 0");
  expect_size_rejected(&test, &t[5].sizes[0], 5,
                       "strassen_f32: tensor 5, dim 0 is 5, expected 6");
  expect_size_rejected(&test, &t[5].sizes[1], 32,
                       "strassen_f32: tensor 5, dim 1 is 32, expected 64");
  expect_size_rejected(
      &test, &t[6].sizes[0], 0,
      "strassen_f32: workspace is [0, 192], expected at least [1, 192]");
  expect_size_rejected(
      &test, pairs, 4,
      "strassen_f32: workspace is [2, 192], expected at least [1, 256]");
  expect_size_rejected(&test, pairs, 0, "strassen_f32: attribute 3 is 0");
  expect_size_rejected(&test, pairs, 0x7fffffff,
                       "strassen_f32: attribute 3 is 2147483647");
  expect_size_rejected(&test, &t[3].sizes[0], 4,
                       "strassen_f32: tensor 3, dim 0 is 4, expected 5");
  t[2].numel = 64;
  et_test_refused(&test, "strassen_f32: tensor 2 has 64 elements, expected 96");
  t[2].numel = 96;
  t[4].sizes[1] = t[3].sizes[1] = 80;
  et_test_refused(&test, "strassen_f32: the last dim of tensor 4 is 80");
  t[4].sizes[1] = t[3].sizes[1] = 96;
  test.op.workspace_count = 1;
  et_test_refused(&test, "strassen_f32: 1 workspaces");
  free(weights);
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemms_of_few_rows),
      cmocka_unit_test(test_gemms_of_random_shapes),
      cmocka_unit_test(test_large_k_spans_several_k_blocks),
      cmocka_unit_test(test_group_counts_that_are_not_multiples_of_threads),
      cmocka_unit_test(test_rows_of_different_examples_are_not_paired),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
