#include "backends/cpu/schema/scatter_add.h"
#include "backends/cpu/ops/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I64 ET_SCALAR_TYPE_INT64
#define I32 ET_SCALAR_TYPE_INT32

/* Makes an op with random indices below `rows`, or 0. */
static void make(et_test_op *test, et_scalar_type dtype, int32_t outer,
                 int32_t rows, int32_t count, int32_t columns) {
  const int32_t x[3] = {outer, rows, columns};
  const int32_t source[3] = {outer, count, columns};
  et_test_begin(test, &et_cpu_op_scatter_add);
  et_test_input(test, F32, 3, x);
  void *index = et_test_input(test, dtype, 3, source);
  for (size_t i = 0; i < test->tensors[1].numel; i++) {
    const int32_t row = (int32_t)et_test_below((size_t)rows);
    if (dtype == I64) {
      ((int64_t *)index)[i] = row;
    } else {
      ((int32_t *)index)[i] = row;
    }
  }
  et_test_input(test, F32, 3, source);
  et_test_output(test, F32, 3, x);
}

static void check_sums(et_scalar_type dtype, int32_t outer, int32_t rows,
                       int32_t count, int32_t columns) {
  et_test_op test;
  make(&test, dtype, outer, rows, count, columns);
  const et_cpu_tensor *index = &test.tensors[1];
  const size_t numel = test.tensors[0].numel;
  const size_t width = (size_t)columns;
  double *expected = calloc(2 * numel + 1, sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < numel; i++) {
    expected[i] = et_test_at(&test.tensors[0], i);
    expected[numel + i] = 1e-6 * (1 + count);
  }
  for (size_t i = 0; i < index->numel; i++) {
    const size_t a = i / width / (size_t)count;
    const size_t row = a * (size_t)rows + (size_t)et_test_at(index, i);
    expected[row * width + i % width] += et_test_at(&test.tensors[2], i);
  }
  et_test_run(&test, expected, expected + numel);
  free(expected);
  et_test_end(&test);
}

static void test_sums_of_selected_rows(void **state) {
  (void)state;
  check_sums(I64, 1, 7, 100, 1);
  check_sums(I64, 3, 5, 0, 4);
  check_sums(I32, 2, 5, 17, 150);
  for (int i = 0; i < 40; i++) {
    check_sums(i % 2 == 0 ? I64 : I32, (int32_t)et_test_below(4),
               1 + (int32_t)et_test_below(9), (int32_t)et_test_below(30),
               (int32_t)et_test_below(140));
  }
}

static void check_fault(int64_t row, const char *message) {
  et_test_op test;
  et_error error = {0};
  et_cpu_fault fault = {ET_STATUS_OK, &error};
  const et_cpu_run run = {.isa = ET_CPU_PLAIN, .fault = &fault};
  make(&test, I64, 1, 3, 4, 2);
  ((int64_t *)test.tensors[1].data)[7] = row;
  test.op.type->run(&test.op, &run);
  assert_int_equal(fault.status, ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message, message);
  et_test_end(&test);
}

static void test_fails_if_an_index_is_out_of_range(void **state) {
  (void)state;
  check_fault(3, "scatter_add: row 3 is out of range for 3 rows");
  check_fault(-1, "scatter_add: row -1 is out of range for 3 rows");
}

static void test_rejects_mismatched_tensors(void **state) {
  (void)state;
  et_test_op test;
  make(&test, I64, 2, 3, 4, 5);
  test.tensors[0].dtype = ET_SCALAR_TYPE_FLOAT16;
  et_test_refused(&test, "scatter_add: tensor 0 is float16");
  test.tensors[0].dtype = F32;
  test.tensors[1].sizes[0] = 1;
  et_test_refused(&test, "scatter_add: tensor 1, dim 0 is 1, expected 2");
  test.tensors[1].sizes[0] = 2;
  test.tensors[2].sizes[1] = 3;
  et_test_refused(&test, "scatter_add: tensor 2, dim 1 is 3, expected 4");
  test.tensors[2].sizes[1] = 4;
  test.tensors[3].sizes[2] = 4;
  et_test_refused(&test, "scatter_add: tensor 3, dim 2 is 4, expected 5");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums_of_selected_rows),
      cmocka_unit_test(test_fails_if_an_index_is_out_of_range),
      cmocka_unit_test(test_rejects_mismatched_tensors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
