#include "backends/cpu/schema/embedding.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define ROWS 50

static void make(et_test_op *test, et_scalar_type indices, int32_t count,
                 int32_t columns) {
  const int32_t table[2] = {ROWS, columns};
  const int32_t sizes[2] = {2, count};
  const int32_t out[3] = {2, count, columns};
  et_test_begin(test, &et_cpu_op_embedding);
  et_test_input(test, F32, 2, table);
  void *data = et_test_input(test, indices, 2, sizes);
  for (int32_t i = 0; i < 2 * count; i++) {
    const int32_t row = (int32_t)et_test_below(ROWS);
    if (indices == ET_SCALAR_TYPE_INT64) {
      ((int64_t *)data)[i] = row;
    } else {
      ((int32_t *)data)[i] = row;
    }
  }
  et_test_output(test, F32, 3, out);
  et_test_int(test, ROWS);
}

static size_t index_at(const et_test_op *test, size_t i) {
  const et_cpu_tensor *indices = &test->tensors[1];
  return indices->dtype == ET_SCALAR_TYPE_INT64
             ? (size_t)((const int64_t *)indices->data)[i]
             : (size_t)((const int32_t *)indices->data)[i];
}

static void check_embedding(et_scalar_type dtype, int32_t count,
                            int32_t columns) {
  et_test_op test;
  make(&test, dtype, count, columns);
  const size_t numel = et_test_result(&test)->numel;
  double *expected = calloc(2 * numel + 1, sizeof(double));
  assert_non_null(expected);
  const float *table = test.tensors[0].data;
  for (size_t i = 0; i < numel; i++) {
    const size_t row = index_at(&test, i / (size_t)columns);
    expected[i] = (double)table[row * (size_t)columns + i % (size_t)columns];
  }
  et_test_run(&test, expected, expected + numel);
  free(expected);
  et_test_end(&test);
}

static void test_reads_rows_of_a_dense_table(void **state) {
  (void)state;
  check_embedding(ET_SCALAR_TYPE_INT64, 7, 33);
  check_embedding(ET_SCALAR_TYPE_INT32, 300, 5);
  check_embedding(ET_SCALAR_TYPE_INT64, 0, 5);
}

/* Invalid indices do not cause reads outside the table, whether the number of rows is an attribute
 * or the size of the table. */
static void test_fails_if_a_row_is_out_of_range(void **state) {
  (void)state;
  const int64_t bad[4] = {-1, ROWS, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < 8; i++) {
    et_test_op test;
    et_error error = {0};
    et_cpu_fault fault = {ET_STATUS_OK, &error};
    const et_cpu_run run = {.isa = ET_CPU_PLAIN, .fault = &fault};
    make(&test, ET_SCALAR_TYPE_INT64, 3, 4);
    ((int64_t *)test.tensors[1].data)[2] = bad[i / 2];
    test.attributes[0] = i % 2 == 0 ? ROWS : 0;
    test.op.type->run(&test.op, &run);
    assert_int_equal(fault.status, ET_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "embedding: row "));
    et_test_end(&test);
  }
}

/* Looks up rows in GEMM panels, [2, 7, 16] for 32 rows. */
static void check_rows_of_panels(et_scalar_type dtype) {
  const int32_t panels[3] = {2, 7, 16};
  const int32_t count[1] = {5};
  const int32_t out[2] = {5, 7};
  const int64_t rows[5] = {0, 31, 16, 3, 31};
  double expected[35];
  const double margin[35] = {0};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_embedding);
  et_test_input(&test, dtype, 3, panels);
  memcpy(et_test_input(&test, ET_SCALAR_TYPE_INT64, 1, count), rows,
         sizeof(rows));
  et_test_output(&test, dtype, 2, out);
  et_test_int(&test, 32);
  for (int i = 0; i < 35; i++) {
    const size_t row = (size_t)rows[i / 7];
    const size_t at = (row / 16 * 7 + (size_t)(i % 7)) * 16 + row % 16;
    expected[i] = et_test_at(&test.tensors[0], at);
  }
  et_test_run(&test, expected, margin);
  test.attributes[0] = 33;
  et_test_refused(&test, "embedding: 33 rows, expected at most 32");
  test.attributes[0] = 31;
  test.tensors[0].sizes[2] = 8;
  et_test_refused(&test, "embedding: tensor 0, dim 2 is 8, expected 16");
  test.tensors[0].sizes[2] = 16;
  test.tensors[0].dtype = ET_SCALAR_TYPE_INT64;
  et_test_refused(&test, "embedding: tensor 0 is int64, expected float32");
  et_test_end(&test);
}

static void test_reads_rows_of_prepacked_panels(void **state) {
  (void)state;
  check_rows_of_panels(F32);
  check_rows_of_panels(ET_SCALAR_TYPE_FLOAT16);
  check_rows_of_panels(ET_SCALAR_TYPE_BFLOAT16);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  et_test_op test;
  make(&test, ET_SCALAR_TYPE_INT64, 3, 4);
  test.tensors[2].sizes[2] = 5;
  et_test_refused(&test, "embedding: tensor 2, dim 2 is 5, expected 4");
  test.tensors[2].sizes[2] = 4;
  test.tensors[2].dtype = ET_SCALAR_TYPE_FLOAT16;
  et_test_refused(&test, "embedding: tensor 2 is float16, expected float32");
  test.tensors[2].dtype = F32;
  test.tensors[1].dtype = F32;
  et_test_refused(&test,
                  "embedding: tensor 1 is float32, expected int32 or int64");
  test.tensors[1].dtype = ET_SCALAR_TYPE_INT64;
  test.tensors[1].rank = ET_CPU_MAX_RANK;
  et_test_refused(&test, "embedding: tensor 1 has 8 dims");
  test.tensors[1].rank = 2;
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_rows_of_a_dense_table),
      cmocka_unit_test(test_fails_if_a_row_is_out_of_range),
      cmocka_unit_test(test_reads_rows_of_prepacked_panels),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
