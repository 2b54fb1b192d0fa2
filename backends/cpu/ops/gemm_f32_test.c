#include "backends/cpu/schema/gemm_f32.h"
#include "backends/cpu/ops/gemms.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t rows, depth, columns;
  bool residual, clamp;
} shape;

static int32_t panel_count(int32_t columns) { return (columns + 15) / 16; }

static void make(et_test_op *test, const shape *s) {
  const int32_t x[2] = {s->rows, s->depth};
  const int32_t panels[3] = {panel_count(s->columns), s->depth, 16};
  const int32_t bias[1] = {panel_count(s->columns) * 16};
  const int32_t y[2] = {s->rows, s->columns};
  et_test_begin(test, &et_cpu_op_gemm_f32);
  et_test_input(test, F32, 2, x);
  et_test_input(test, F32, 3, panels);
  et_test_input(test, F32, 1, bias);
  if (s->residual) {
    et_test_input(test, F32, 2, y);
  }
  et_test_output(test, F32, 2, y);
  et_test_int(test, s->clamp ? 1 : 0);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
}

static double clamp(const shape *s, double value) {
  return !s->clamp ? value : value < -0.5 ? -0.5 : value > 0.75 ? 0.75 : value;
}

/* Computes one element in double, and the error bound of a sum in float32. */
static double element(const et_test_op *test, const shape *s, size_t m,
                      size_t n, double *margin) {
  const float *x = (const float *)test->tensors[0].data + m * (size_t)s->depth;
  const float *w = (const float *)test->tensors[1].data +
                   n / 16 * 16 * (size_t)s->depth + n % 16;
  double sum = ((const float *)test->tensors[2].data)[n];
  double size = fabs(sum);
  for (size_t k = 0; k < (size_t)s->depth; k++) {
    sum += (double)x[k] * (double)w[k * 16];
    size += fabs((double)x[k] * (double)w[k * 16]);
  }
  if (s->residual) {
    const float *residual = test->tensors[3].data;
    sum += (double)residual[m * (size_t)s->columns + n];
  }
  *margin = 1e-6 + 1e-6 * size;
  return clamp(s, sum);
}

static void check_product(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    expected[i] = element(&test, s, i / (size_t)s->columns,
                          i % (size_t)s->columns, &expected[count + i]);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_gemms_with_every_remainder(void **state) {
  (void)state;
  for (int32_t rows = 0; rows <= 20; rows++) {
    for (int32_t columns = 1; columns <= 90; columns += 7) {
      const shape s = {rows, (rows + columns) % 9, columns, rows % 2 == 0,
                       columns % 2 == 0};
      check_product(&s);
    }
  }
}

/* Covers tiles of one and a half panels, with few and many K-steps. */
static void test_gemm_with_partial_panels(void **state) {
  (void)state;
  const int32_t columns[] = {24, 32, 40, 48, 56, 88, 96, 152};
  for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
    for (int32_t rows = 1; rows <= 19; rows++) {
      const shape s = {rows, rows % 9 == 0 ? 771 : rows * 5 % 23, columns[i],
                       rows % 2 == 0, rows % 3 != 0};
      check_product(&s);
    }
  }
}

static void test_gemms_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    const shape s = {1 + (int32_t)et_test_below(60), (int32_t)et_test_below(90),
                     1 + (int32_t)et_test_below(150), et_test_below(2) == 0,
                     et_test_below(2) == 0};
    check_product(&s);
  }
}

static void test_large_k_spans_several_k_blocks(void **state) {
  (void)state;
  const shape shapes[] = {{1, 1000, 200, true, true},
                          {7, 385, 33, true, false},
                          {20, 1153, 17, false, true}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_product(&shapes[i]);
  }
}

static void test_divides_many_rows_among_threads(void **state) {
  (void)state;
  const shape s = {1601, 3, 18, true, true};
  check_product(&s);
}

#define MAX_SIDE 300

static void count_block(const et_cpu_blocks *b, size_t index,
                        uint8_t counts[MAX_SIDE][MAX_SIDE]) {
  const et_cpu_range range = et_cpu_block_at(b, index);
  assert_int_equal(range.first_column % 16, 0);
  for (size_t i = 0; i < range.rows; i++) {
    for (size_t j = 0; j < range.columns; j++) {
      counts[range.first_row + i][range.first_column + j]++;
    }
  }
}

static void check_cover(const et_cpu_blocks *b) {
  static uint8_t counts[MAX_SIDE][MAX_SIDE];
  memset(counts, 0, sizeof counts);
  for (size_t i = 0; i < et_cpu_block_count(b); i++) {
    count_block(b, i, counts);
  }
  for (size_t i = 0; i < MAX_SIDE; i++) {
    for (size_t j = 0; j < MAX_SIDE; j++) {
      assert_int_equal(counts[i][j], i < b->rows && j < b->columns ? 1 : 0);
    }
  }
}

static void test_blocks_cover_each_result_once(void **state) {
  (void)state;
  for (int i = 0; i < 200; i++) {
    const et_cpu_blocks b = et_cpu_share_gemm(
        et_test_below(MAX_SIDE), et_test_below(MAX_SIDE), et_test_below(2000),
        1 + et_test_below(100), 1 + et_test_below(8));
    check_cover(&b);
  }
}

/* The product of the number of rows and the number of blocks exceeds 2^32. */
static void test_blocks_of_many_rows_are_consecutive(void **state) {
  (void)state;
  const size_t max = 252;
  const et_cpu_blocks b = et_cpu_share_gemm(1 << 24, 16, 1, max, 1);
  size_t row = 0;
  for (size_t i = 0; i < et_cpu_block_count(&b); i++) {
    const et_cpu_range range = et_cpu_block_at(&b, i);
    assert_int_equal(range.first_row, row);
    assert_in_range(range.rows, 1, max);
    row += range.rows;
  }
  assert_int_equal(row, b.rows);
}

/* With two threads, each computes half of the image's rows or, if there are many weights, half of
 * the columns. */
static void test_threads_divide_rows_or_columns(void **state) {
  (void)state;
  const et_cpu_blocks picture = et_cpu_share_gemm(196, 384, 64, 768, 2);
  assert_int_equal(picture.row_parts, 2);
  assert_int_equal(picture.column_parts, 1);
  const et_cpu_blocks weights = et_cpu_share_gemm(49, 160, 960, 252, 2);
  assert_int_equal(weights.row_parts, 1);
  assert_int_equal(weights.column_parts, 2);
  const et_cpu_blocks little = et_cpu_share_gemm(4, 16, 64, 768, 2);
  assert_int_equal(et_cpu_block_count(&little), 1);
}

/* Activation functions have separate tests. This test checks that an activation is applied exactly
 * once to every element. */
static void check_curve(const shape *s) {
  et_test_op test;
  make(&test, s);
  test.attributes[0] = 9; /* leaky ReLU with slope -0.5 */
  const size_t columns = (size_t)s->columns;
  const size_t count = (size_t)s->rows * columns;
  double *expected = malloc(2 * count * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    const double sum =
        element(&test, s, i / columns, i % columns, &expected[count + i]);
    expected[i] = sum < 0 ? -0.5 * sum : sum;
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_applies_activations_other_than_clamps_last(void **state) {
  (void)state;
  const shape shapes[] = {{13, 400, 41, true, false},
                          {47, 20, 56, true, false}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_curve(&shapes[i]);
  }
}

static void test_leading_dims_are_rows(void **state) {
  (void)state;
  const shape s = {12, 5, 20, true, true};
  et_test_op test;
  make(&test, &s);
  double expected[240];
  double margin[240];
  for (size_t i = 0; i < 240; i++) {
    expected[i] = element(&test, &s, i / 20, i % 20, &margin[i]);
  }
  const size_t dense[] = {0, 3, 4};
  for (size_t i = 0; i < 3; i++) {
    et_cpu_tensor *t = &test.tensors[dense[i]];
    t->sizes[2] = t->sizes[1];
    t->sizes[1] = 4;
    t->sizes[0] = 3;
    t->rank = 3;
  }
  et_test_run(&test, expected, margin);
  et_test_end(&test);
}

static void test_accepts_a_vector_as_one_row(void **state) {
  (void)state;
  const shape s = {1, 5, 20, true, true};
  et_test_op test;
  make(&test, &s);
  double expected[20];
  double margin[20];
  for (size_t i = 0; i < 20; i++) {
    expected[i] = element(&test, &s, 0, i, &margin[i]);
  }
  const size_t dense[] = {0, 3, 4};
  for (size_t i = 0; i < 3; i++) {
    et_cpu_tensor *t = &test.tensors[dense[i]];
    t->sizes[0] = t->sizes[1];
    t->rank = 1;
  }
  et_test_run(&test, expected, margin);
  et_test_end(&test);
}

static void test_propagates_nan(void **state) {
  (void)state;
  const shape s = {1, 1, 16, false, true};
  et_test_op test;
  make(&test, &s);
  ((float *)test.tensors[0].data)[0] = NAN;
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      const et_cpu_run run = {.isa = (uint8_t)isa};
      test.op.type->run(&test.op, &run);
      assert_true(isnan(((float *)et_test_result(&test)->data)[15]));
    }
  }
  et_test_end(&test);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const shape s = {4, 5, 20, true, true};
  et_test_op test;
  make(&test, &s);
  test.attributes[0] = 99;
  et_test_refused(&test, "gemm_f32: attribute 0 is 99");
  test.attributes[0] = 1;
  test.tensors[1].sizes[1] = 4;
  et_test_refused(&test, "gemm_f32: tensor 1, dim 1 is 4, expected 5");
  test.tensors[1].sizes[1] = 5;
  test.tensors[2].numel = 20;
  et_test_refused(&test, "gemm_f32: tensor 2 has 20 elements, expected 32");
  test.tensors[2].numel = 32;
  test.tensors[3].sizes[0] = 3;
  et_test_refused(&test, "gemm_f32: tensor 3, dim 0 is 3, expected 4");
  test.tensors[3].sizes[0] = 4;
  test.tensors[4].dtype = ET_SCALAR_TYPE_FLOAT16;
  et_test_refused(&test, "gemm_f32: tensor 4 is float16, expected float32");
  test.tensors[4].dtype = ET_SCALAR_TYPE_FLOAT32;
  test.op.attribute_count = 2;
  et_test_refused(&test, "gemm_f32: 2 attributes");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemms_with_every_remainder),
      cmocka_unit_test(test_gemm_with_partial_panels),
      cmocka_unit_test(test_gemms_of_random_shapes),
      cmocka_unit_test(test_blocks_cover_each_result_once),
      cmocka_unit_test(test_blocks_of_many_rows_are_consecutive),
      cmocka_unit_test(test_threads_divide_rows_or_columns),
      cmocka_unit_test(test_large_k_spans_several_k_blocks),
      cmocka_unit_test(test_divides_many_rows_among_threads),
      cmocka_unit_test(test_applies_activations_other_than_clamps_last),
      cmocka_unit_test(test_leading_dims_are_rows),
      cmocka_unit_test(test_accepts_a_vector_as_one_row),
      cmocka_unit_test(test_propagates_nan),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
