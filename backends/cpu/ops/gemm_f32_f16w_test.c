#include "backends/cpu/schema/gemm_f32_f16w.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/gemm_f32.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t rows, depth, columns;
  et_scalar_type dtype;
  bool residual, clamp;
} shape;

enum { X, PANELS, BIAS };

static void make(et_test_op *test, const et_backend_part *kind,
                 et_scalar_type weights, const shape *s) {
  const int32_t panels = (s->columns + 15) / 16;
  const int32_t bias = panels * 16;
  const int32_t y[2] = {s->rows, s->columns};
  et_test_begin(test, kind);
  et_test_input(test, F32, 2, (int32_t[]){s->rows, s->depth});
  et_test_input(test, weights, 3, (int32_t[]){panels, s->depth, 16});
  et_test_input(test, F32, 1, &bias);
  if (s->residual) {
    et_test_input(test, F32, 2, y);
  }
  et_test_output(test, F32, 2, y);
  et_test_int(test, s->clamp ? 1 : 0);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
}

/* Checks that the results are bitwise equal to gemm_f32 on the widened weights. */
static void check_bits(const shape *s) {
  et_test_op narrow;
  et_test_op wide;
  et_error error = {0};
  make(&narrow, &et_cpu_op_gemm_f32_f16w, s->dtype, s);
  make(&wide, &et_cpu_op_gemm_f32, F32, s);
  for (size_t t = 0; t < narrow.op.input_count; t++) {
    et_test_copy(&wide, t, &narrow);
  }
  assert_int_equal(et_test_check(&narrow, &error), ET_STATUS_OK);
  et_test_same_bits(&narrow, &wide);
  et_test_end(&narrow);
  et_test_end(&wide);
}

static shape random_shape(int32_t rows_below) {
  const bool is_bfloat = et_test_below(2) == 0;
  return (shape){(int32_t)et_test_below((size_t)rows_below),
                 (int32_t)et_test_below(300),
                 1 + (int32_t)et_test_below(150),
                 is_bfloat ? ET_SCALAR_TYPE_BFLOAT16 : ET_SCALAR_TYPE_FLOAT16,
                 et_test_below(2) == 0,
                 et_test_below(2) == 0};
}

static void test_rows_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    const shape s = random_shape(20);
    check_bits(&s);
  }
}

static void test_one_row_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 80; i++) {
    shape s = random_shape(20);
    s.rows = 1;
    check_bits(&s);
  }
}

static void test_divides_many_rows_among_threads(void **state) {
  (void)state;
  const shape s = {1100, 3, 18, ET_SCALAR_TYPE_FLOAT16, true, true};
  check_bits(&s);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const shape s = {4, 9, 20, ET_SCALAR_TYPE_BFLOAT16, true, false};
  et_test_op test;
  make(&test, &et_cpu_op_gemm_f32_f16w, s.dtype, &s);
  test.tensors[PANELS].dtype = F32;
  et_test_refused(
      &test,
      "gemm_f32_f16w: tensor 1 is float32, expected float16 or bfloat16");
  test.tensors[PANELS].dtype = ET_SCALAR_TYPE_BFLOAT16;
  test.tensors[PANELS].sizes[1] = 8;
  et_test_refused(&test, "gemm_f32_f16w: tensor 1, dim 1 is 8, expected 9");
  test.tensors[PANELS].sizes[1] = 9;
  test.tensors[BIAS].dtype = ET_SCALAR_TYPE_BFLOAT16;
  et_test_refused(&test,
                  "gemm_f32_f16w: tensor 2 is bfloat16, expected float32");
  test.op.input_count = 1;
  et_test_refused(&test, "gemm_f32_f16w: 1 inputs, expected 3 to 4");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rows_of_random_shapes),
      cmocka_unit_test(test_one_row_of_random_shapes),
      cmocka_unit_test(test_divides_many_rows_among_threads),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
