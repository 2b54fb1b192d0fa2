#include "backends/cpu/schema/kv_update.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define I64 ET_SCALAR_TYPE_INT64
#define OUTER 3
#define CACHE_ROWS 8
#define WIDTH 5
#define CACHE_SIZE (OUTER * CACHE_ROWS * WIDTH)

static int32_t start;
static const int32_t *const start_of = &start;
static float before[CACHE_SIZE];
static et_error error;
static et_cpu_fault fault;
static const et_cpu_run on_this_thread = {.isa = ET_CPU_PLAIN, .fault = &fault};

/* Makes an op with `count` rows at `positions`. If `positions` is NULL, the rows are consecutive
 * and start at `start`. */
static void make(et_test_op *test, int32_t count, const int64_t *positions) {
  const int32_t cache[3] = {OUTER, CACHE_ROWS, WIDTH};
  const int32_t rows[3] = {OUTER, count, WIDTH};
  et_test_begin(test, &et_cpu_op_kv_update);
  memcpy(before, et_test_input(test, F32, 3, cache), sizeof(before));
  et_test_input(test, F32, 3, rows);
  if (positions != NULL) {
    memcpy(et_test_input(test, I64, 1, &count), positions,
           (size_t)count * sizeof(*positions));
  }
  et_test_output(test, F32, 3, cache);
  test->op.dims = &start_of;
  test->op.dim_count = positions == NULL ? 1 : 0;
  fault = (et_cpu_fault){ET_STATUS_OK, &error};
  et_error_clear(&error);
  assert_int_equal(et_test_check(test, &error), ET_STATUS_OK);
}

/* Checks that the output is the cache with row positions[i] replaced by new row i. */
static void expect(const et_test_op *test, int32_t count,
                   const int64_t *positions) {
  const float *rows = test->tensors[1].data;
  const float *y = test->list[test->op.input_count]->data;
  for (int32_t i = 0; i < CACHE_SIZE; i++) {
    float expected = before[i];
    for (int32_t r = 0; r < count; r++) {
      if (i / WIDTH % CACHE_ROWS == positions[r]) {
        const int32_t outer = i / (WIDTH * CACHE_ROWS);
        expected = rows[(outer * count + r) * WIDTH + i % WIDTH];
      }
    }
    assert_true(y[i] == expected);
  }
}

/* Checks the op out of place, then in place. */
static void check_update(int32_t count, const int64_t *given,
                         const int64_t *positions) {
  et_test_op test;
  make(&test, count, given);
  test.op.type->run(&test.op, &on_this_thread);
  assert_int_equal(fault.status, ET_STATUS_OK);
  expect(&test, count, positions);
  assert_memory_equal(before, test.tensors[0].data, sizeof(before));
  et_cpu_tensor *y = et_test_result(&test);
  void *output_data = y->data;
  y->data = test.tensors[0].data;
  test.op.type->run(&test.op, &on_this_thread);
  expect(&test, count, positions);
  y->data = output_data;
  et_test_end(&test);
}

static void test_updates_consecutive_rows(void **state) {
  (void)state;
  const int64_t positions[CACHE_ROWS] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (start = 0; start < CACHE_ROWS; start++) {
    for (int32_t count = 0; start + count <= CACHE_ROWS; count++) {
      check_update(count, NULL, positions + start);
    }
  }
}

static void test_updates_rows_at_given_positions(void **state) {
  (void)state;
  const int64_t given[3] = {6, 0, 3};
  const int64_t from_the_end[2] = {-1, -8};
  const int64_t positions[2] = {7, 0};
  check_update(3, given, given);
  check_update(2, from_the_end, positions);
}

static void check_fault(int32_t count, const int64_t *positions,
                        const char *message) {
  et_test_op test;
  make(&test, count, positions);
  et_cpu_tensor *y = et_test_result(&test);
  void *output_data = y->data;
  y->data = test.tensors[0].data;
  test.op.type->run(&test.op, &on_this_thread);
  assert_int_equal(fault.status, ET_STATUS_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, message));
  assert_memory_equal(before, y->data, sizeof(before));
  y->data = output_data;
  et_test_end(&test);
}

static void test_fails_if_a_row_is_out_of_range(void **state) {
  (void)state;
  const int64_t above[2] = {1, 8};
  const int64_t below[2] = {2, -9};
  const int64_t far[1] = {INT64_MIN};
  start = 6;
  check_fault(3, NULL, "kv_update: row 8 is out of range for 8 rows");
  check_fault(2, above, "kv_update: row 8 is out of range for 8");
  check_fault(2, below, "kv_update: row -1 is out of range for 8");
  check_fault(1, far,
              "kv_update: row -9223372036854775800 is out of range for 8");
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const int64_t positions[2] = {0, 1};
  et_test_op test;
  make(&test, 2, positions);
  test.tensors[2].numel = 3;
  et_test_refused(&test, "kv_update: tensor 2");
  test.tensors[2].numel = 2;
  test.tensors[2].dtype = F32;
  et_test_refused(&test,
                  "kv_update: tensor 2 is float32, expected int32 or int64");
  test.tensors[2].dtype = I64;
  test.tensors[1].sizes[2] = 4;
  et_test_refused(&test, "kv_update: tensor 1, dim 2 is 4, expected 5");
  test.tensors[1].sizes[2] = WIDTH;
  test.tensors[1].dtype = I64;
  et_test_refused(&test, "kv_update: tensor 1 is int64, expected float32");
  test.tensors[1].dtype = F32;
  test.tensors[3].sizes[1] = 9;
  et_test_refused(&test, "kv_update: tensor 3, dim 1 is 9, expected 8");
  test.tensors[3].sizes[1] = 8;
  test.op.dim_count = 1;
  et_test_refused(&test, "kv_update: 1 dims, expected 0");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_updates_consecutive_rows),
      cmocka_unit_test(test_updates_rows_at_given_positions),
      cmocka_unit_test(test_fails_if_a_row_is_out_of_range),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
