#include "backends/cpu/microkernels/matmul.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/matmul.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

/* Each operand has two batch dimensions. The sizes of y are the larger ones. */
typedef struct shape {
  int32_t a[2];
  int32_t b[2];
  int32_t rows, depth, columns;
  bool transposed;
} shape;

static int32_t max_size(int32_t a, int32_t b) { return a > b ? a : b; }

static void make(et_test_op *test, const shape *s) {
  const int32_t a[4] = {s->a[0], s->a[1], s->rows, s->depth};
  const int32_t b[4] = {s->b[0], s->b[1], s->depth, s->columns};
  const int32_t turned[4] = {s->b[0], s->b[1], s->columns, s->depth};
  const int32_t y[4] = {max_size(s->a[0], s->b[0]), max_size(s->a[1], s->b[1]),
                        s->rows, s->columns};
  const int32_t workspace_sizes[2] = {3, ET_CPU_MATMUL_FLOATS};
  et_test_begin(test, &et_cpu_op_matmul);
  et_test_input(test, F32, 4, a);
  et_test_input(test, F32, 4, s->transposed ? turned : b);
  et_test_output(test, F32, 4, y);
  et_test_workspace(test, F32, 2, workspace_sizes);
  et_test_int(test, s->transposed);
}

/* Returns element [row, column] of the matrix at batch [i, k]. Batch sizes of 1 are broadcast. */
static double read(const et_cpu_tensor *x, int32_t i, int32_t k, int32_t row,
                   int32_t column) {
  const int64_t first = x->sizes[0] == 1 ? 0 : i;
  const int64_t second = x->sizes[1] == 1 ? 0 : k;
  const int64_t rows = (first * x->sizes[1] + second) * x->sizes[2] + row;
  return (double)((const float *)x->data)[rows * x->sizes[3] + column];
}

static double element(const et_test_op *test, const shape *s, size_t index) {
  const et_cpu_tensor *y = &test->tensors[2];
  const int32_t column = (int32_t)(index % (size_t)s->columns);
  index /= (size_t)s->columns;
  const int32_t row = (int32_t)(index % (size_t)s->rows);
  index /= (size_t)s->rows;
  const int32_t k = (int32_t)(index % (size_t)y->sizes[1]);
  const int32_t i = (int32_t)(index / (size_t)y->sizes[1]);
  double sum = 0;
  for (int32_t d = 0; d < s->depth; d++) {
    sum += read(&test->tensors[0], i, k, row, d) *
           (s->transposed ? read(&test->tensors[1], i, k, column, d)
                          : read(&test->tensors[1], i, k, d, column));
  }
  return sum;
}

static void check_matmul(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    expected[i] = element(&test, s, i);
    expected[count + i] = 1e-7 * (2 + s->depth);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static int32_t up_to(size_t max) { return 1 + (int32_t)et_test_below(max); }

static void test_matrices_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    const int32_t outer = up_to(3);
    const int32_t inner = up_to(3);
    const shape s = {.a = {outer, et_test_below(2) == 0 ? 1 : inner},
                     .b = {et_test_below(2) == 0 ? 1 : outer, inner},
                     .rows = up_to(30),
                     .depth = (int32_t)et_test_below(50),
                     .columns = up_to(90),
                     .transposed = et_test_below(2) == 0};
    check_matmul(&s);
  }
}

static void test_several_packed_blocks(void **state) {
  (void)state;
  for (int transposed = 0; transposed < 2; transposed++) {
    const shape deep = {{1, 2}, {1, 2}, 7, 700, 130, transposed != 0};
    const shape empty = {{0, 2}, {0, 2}, 7, 7, 13, transposed != 0};
    check_matmul(&deep);
    check_matmul(&empty);
  }
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const shape s = {{2, 1}, {2, 3}, 4, 5, 6, true};
  et_test_op test;
  make(&test, &s);
  test.tensors[1].sizes[3] = 4;
  et_test_refused(&test,
                  "matmul: [4, 5] times [6, 4] transposed is not [4, 6]");
  test.tensors[1].sizes[3] = 5;
  test.attributes[0] = 0;
  et_test_refused(&test, "matmul: [4, 5] times [6, 5] is not [4, 6]");
  test.attributes[0] = 2;
  et_test_refused(&test, "matmul: attribute 0 is 2");
  test.attributes[0] = 1;
  test.tensors[0].sizes[1] = 2;
  et_test_refused(&test, "matmul: tensor 0, dim 1 is 2, expected 3 or 1");
  test.tensors[0].sizes[1] = 1;
  test.tensors[3].sizes[1]--;
  et_test_refused(&test, "matmul: workspace is [3, ");
  test.tensors[3].sizes[1]++;
  test.tensors[3].sizes[0] = 0;
  et_test_refused(&test, "matmul: workspace is [0, ");
  test.tensors[3].sizes[0] = 3;
  test.tensors[2].rank = 1;
  et_test_refused(&test, "matmul: tensor 2 has 1 dims, expected 2 to 8");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_matrices_of_random_shapes),
      cmocka_unit_test(test_several_packed_blocks),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
