#include "kernels/engines/gemm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Small integers, so that sums are exact in any order. */
static float number(size_t i) { return (float)(int)(i * 7 % 11) - 5.0f; }

static float *numbers(size_t count) {
  float *values = malloc((count > 0 ? count : 1) * sizeof(float));
  assert_non_null(values);
  for (size_t i = 0; i < count; i++) {
    values[i] = number(i);
  }
  return values;
}

static void check_gemm(size_t rows, size_t columns, size_t depth) {
  float *a = numbers(rows * depth);
  float *b = numbers(depth * columns);
  float *out = numbers(rows * columns);
  const et_gemm_matrix left = {a, (ptrdiff_t)depth, 1};
  const et_gemm_panel right = {b, columns};
  et_gemm_accumulate(rows, columns, depth, &left, &right,
                     (et_gemm_start){false, NULL}, out, columns);
  for (size_t i = 0; i < rows * columns; i++) {
    float expected = number(i);
    for (size_t k = 0; k < depth; k++) {
      expected += a[i / columns * depth + k] * b[k * columns + i % columns];
    }
    assert_true(out[i] == expected);
  }
  free(a);
  free(b);
  free(out);
}

static void test_gemm_is_exact_for_every_tile_remainder(void **state) {
  (void)state;
  for (size_t rows = 0; rows <= 13; rows++) {
    for (size_t columns = 1; columns <= 50; columns++) {
      for (size_t depth = 0; depth <= 3; depth++) {
        check_gemm(rows, columns, depth);
      }
    }
  }
}

static void test_gemm_is_exact_for_every_depth(void **state) {
  (void)state;
  for (size_t depth = 0; depth <= 200; depth++) {
    check_gemm(7, 35, depth);
  }
}

/* Computes rows [row, row + rows) and columns [column, column + columns) of a
 * GEMM with a 9x40 result. */
static void compute_part(size_t row, size_t rows, size_t column, size_t columns,
                         float *out) {
  enum { kDepth = 150, kColumns = 40 };
  float a[9 * kDepth];
  float b[kDepth * kColumns];
  for (size_t i = 0; i < sizeof a / sizeof *a; i++) {
    a[i] = 1.0f / (float)(i % 97 + 1);
  }
  for (size_t i = 0; i < sizeof b / sizeof *b; i++) {
    b[i] = (number(i) + 0.5f) / (float)(i % 89 + 1);
  }
  const et_gemm_matrix left = {a + row * kDepth, kDepth, 1};
  const et_gemm_panel right = {b + column, kColumns};
  et_gemm_accumulate(rows, columns, kDepth, &left, &right,
                     (et_gemm_start){true, NULL}, out + row * kColumns + column,
                     kColumns);
}

static void test_gemm_results_do_not_depend_on_the_block(void **state) {
  (void)state;
  float whole[9 * 40];
  float parts[9 * 40];
  compute_part(0, 9, 0, 40, whole);
  for (size_t row = 0; row < 9; row++) {
    for (size_t column = 0; column < 40; column += 5) {
      compute_part(row, 1, column, 5, parts);
    }
  }
  assert_memory_equal(whole, parts, sizeof parts);
}

static void test_left_operand_may_be_transposed(void **state) {
  (void)state;
  const float a[6] = {1, 2, 3, 4, 5, 6}; /* [2, 3], column-major */
  const float b[3] = {1, 10, 100};
  float out[2] = {0, 0};
  const et_gemm_matrix left = {a, 1, 2};
  const et_gemm_panel right = {b, 1};
  et_gemm_accumulate(2, 1, 3, &left, &right, (et_gemm_start){false, NULL}, out,
                     1);
  assert_true(out[0] == 531 && out[1] == 642);
}

static void test_gemm_starts_from_the_requested_values(void **state) {
  (void)state;
  const float a[3] = {1, 2, 3}; /* [3, 1] */
  const float b[2] = {10, 20};
  float out[6] = {9, 9, 9, 9, 9, 9};
  const et_gemm_matrix left = {a, 1, 1};
  const et_gemm_panel right = {b, 2};
  const et_gemm_start bias = {true, (float[]){1, 2, 3}};
  et_gemm_accumulate(3, 2, 1, &left, &right, bias, out, 2);
  assert_true(out[0] == 11 && out[1] == 21 && out[4] == 33 && out[5] == 63);
  et_gemm_accumulate(3, 2, 0, &left, &right, (et_gemm_start){true, NULL}, out,
                     2);
  assert_true(out[0] == 0 && out[5] == 0);
}

static void test_dot_products_are_exact_for_every_remainder(void **state) {
  (void)state;
  for (size_t depth = 0; depth < 300; depth++) {
    float *a = numbers(depth);
    float expected = 0.0f;
    for (size_t k = 0; k < depth; k++) {
      expected += a[k] * a[k];
    }
    assert_true(et_gemm_dot(a, a, depth) == expected);
    free(a);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gemm_is_exact_for_every_tile_remainder),
      cmocka_unit_test(test_gemm_is_exact_for_every_depth),
      cmocka_unit_test(test_gemm_results_do_not_depend_on_the_block),
      cmocka_unit_test(test_left_operand_may_be_transposed),
      cmocka_unit_test(test_gemm_starts_from_the_requested_values),
      cmocka_unit_test(test_dot_products_are_exact_for_every_remainder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
