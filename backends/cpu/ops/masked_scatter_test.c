#include "backends/cpu/schema/masked_scatter.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

/* Makes an op with [rows, columns] floats. The mask selects about one in `every` elements. The
 * source has `spare` more elements than the mask selects. */
static size_t make(et_test_op *test, int32_t rows, int32_t columns,
                   size_t every, int32_t spare) {
  const int32_t x[2] = {rows, columns};
  size_t selected = 0;
  et_test_begin(test, &et_cpu_op_masked_scatter);
  et_test_input(test, F32, 2, x);
  uint8_t *mask = et_test_input(test, ET_SCALAR_TYPE_BOOL, 2, x);
  for (size_t i = 0; i < test->tensors[1].numel; i++) {
    mask[i] = et_test_below(every) == 0;
    selected += mask[i];
  }
  et_test_input(test, F32, 1, (int32_t[]){(int32_t)selected + spare});
  et_test_output(test, F32, 2, x);
  return selected;
}

static void check_scatter(int32_t rows, int32_t columns, size_t every,
                          int32_t spare) {
  et_test_op test;
  make(&test, rows, columns, every, spare);
  const size_t count = test.tensors[0].numel;
  const uint8_t *mask = test.tensors[1].data;
  double *expected = calloc(2 * count + 1, sizeof(double));
  assert_non_null(expected);
  size_t next = 0;
  for (size_t i = 0; i < count; i++) {
    expected[i] = mask[i] ? et_test_at(&test.tensors[2], next++)
                          : et_test_at(&test.tensors[0], i);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_replaces_selected_elements(void **state) {
  (void)state;
  for (int i = 0; i < 40; i++) {
    check_scatter((int32_t)et_test_below(20), (int32_t)et_test_below(20),
                  1 + et_test_below(5), (int32_t)et_test_below(3));
  }
}

static void test_fails_if_the_source_is_too_short(void **state) {
  (void)state;
  et_test_op test;
  et_error error = {0};
  et_cpu_fault fault = {ET_STATUS_OK, &error};
  const et_cpu_run run = {.isa = ET_CPU_PLAIN, .fault = &fault};
  make(&test, 3, 4, 2, 1);
  memset(test.tensors[1].data, 0x80, test.tensors[1].numel);
  memset(test.tensors[3].data, 7, test.tensors[3].bytes);
  test.tensors[2].numel = 11;
  test.op.type->run(&test.op, &run);
  assert_int_equal(fault.status, ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "masked_scatter: the mask selects 12 elements, but "
                      "the source has 11");
  for (size_t i = 0; i < test.tensors[3].bytes; i++) {
    assert_int_equal(((const uint8_t *)test.tensors[3].data)[i], 7);
  }
  et_test_end(&test);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  et_test_op test;
  make(&test, 3, 4, 2, 0);
  test.tensors[1].numel = 3;
  et_test_refused(&test, "masked_scatter: tensor 1 has 3 elements");
  test.tensors[1].numel = 12;
  test.tensors[1].dtype = ET_SCALAR_TYPE_UINT8;
  et_test_refused(&test, "masked_scatter: tensor 1 is uint8, expected bool");
  test.tensors[1].dtype = ET_SCALAR_TYPE_BOOL;
  test.tensors[2].dtype = ET_SCALAR_TYPE_FLOAT16;
  et_test_refused(&test, "masked_scatter: tensor 2 is float16");
  test.tensors[2].dtype = F32;
  test.tensors[3].sizes[1] = 5;
  et_test_refused(&test, "masked_scatter: tensor 3");
  test.tensors[3].sizes[1] = 4;
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_replaces_selected_elements),
      cmocka_unit_test(test_fails_if_the_source_is_too_short),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
