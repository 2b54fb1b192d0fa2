#include "backends/cpu/schema/grouped_gemm_f32_f16w.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/grouped_gemm_f32.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define GROUPS 3

enum { X, PANELS, BIAS, ENDS };

static void make(et_test_op *test, et_scalar_type weights, int32_t rows,
                 int32_t depth, int32_t columns) {
  const int32_t panels = (columns + 15) / 16;
  const int32_t bias = panels * 16;
  const int32_t groups = GROUPS;
  et_test_begin(test, weights == F32 ? &et_cpu_op_grouped_gemm_f32
                                     : &et_cpu_op_grouped_gemm_f32_f16w);
  et_test_input(test, F32, 2, (int32_t[]){rows, depth});
  et_test_input(test, weights, 4, (int32_t[]){GROUPS, panels, depth, 16});
  et_test_input(test, F32, 1, &bias);
  et_test_input(test, ET_SCALAR_TYPE_INT64, 1, &groups);
  et_test_output(test, F32, 2, (int32_t[]){rows, columns});
}

/* Checks that the results are bitwise equal to those with the widened weights. */
static void check_bits(et_scalar_type weights, int32_t rows) {
  const int32_t depth = (int32_t)et_test_below(300);
  const int32_t columns = 1 + (int32_t)et_test_below(150);
  int64_t ends[GROUPS] = {0};
  for (int g = 0; g < GROUPS; g++) {
    const int64_t start = g == 0 ? 0 : ends[g - 1];
    ends[g] = start + (int64_t)et_test_below((size_t)(rows - start) + 1);
  }
  et_test_op narrow;
  et_test_op wide;
  et_error error = {0};
  make(&narrow, weights, rows, depth, columns);
  make(&wide, F32, rows, depth, columns);
  for (size_t t = X; t <= BIAS; t++) {
    et_test_copy(&wide, t, &narrow);
  }
  memcpy(narrow.tensors[ENDS].data, ends, sizeof ends);
  memcpy(wide.tensors[ENDS].data, ends, sizeof ends);
  assert_int_equal(et_test_check(&narrow, &error), ET_STATUS_OK);
  et_test_same_bits(&narrow, &wide);
  et_test_end(&narrow);
  et_test_end(&wide);
}

static void test_equals_grouped_gemm_of_widened_weights(void **state) {
  (void)state;
  for (int32_t i = 0; i < 60; i++) {
    check_bits(i % 2 == 0 ? ET_SCALAR_TYPE_FLOAT16 : ET_SCALAR_TYPE_BFLOAT16,
               i % 20);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equals_grouped_gemm_of_widened_weights),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
