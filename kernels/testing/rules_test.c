/* Tests that the loader rejects calls with dtypes that the kernel does not
 * support, before any kernel runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "executorch/method.h"
#include "runtime/testing/program_test_support.h"

extern const et_kernel_table et_all_kernels;

static et_program_writer writer;

static et_status measure(et_error *error) {
  const et_registry registry = {.kernels = &et_all_kernels,
                                .preparation = &et_preparation};
  et_program program;
  et_method_requirements needed;
  et_error_clear(error);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  return et_method_measure(&program, "forward", &registry, NULL, &needed,
                           error);
}

/* Writes a program: out = <operator>(self, other), or (self, other,
 * rounding_mode). */
static void write_division(const char *name, const char *overload,
                           const char *mode, et_scalar_type other) {
  et_writer_start(&writer, 256);
  const int32_t op = et_writer_operator(&writer, name, overload);
  const int32_t a = et_writer_tensor(&writer, ET_SCALAR_TYPE_INT32, 4, 0);
  const int32_t b = et_writer_tensor(&writer, other, 4, 64);
  const int32_t out = et_writer_tensor(&writer, ET_SCALAR_TYPE_INT32, 4, 128);
  const int32_t text = mode == NULL ? out : et_writer_text(&writer, mode);
  const int32_t args[5] = {a, b, text, out, out};
  et_writer_call_operator(&writer, op, args, mode == NULL ? 4 : 5);
}

static void expect_unknown_dtypes_rejected(const char *name,
                                           const char *overload,
                                           const char *mode) {
  static const et_scalar_type unknown[3] = {
      ET_SCALAR_TYPE_UINT16, ET_SCALAR_TYPE_UINT32, ET_SCALAR_TYPE_UINT64};
  et_error error;
  write_division(name, overload, mode, ET_SCALAR_TYPE_INT32);
  assert_int_equal(measure(&error), ET_STATUS_OK);
  for (size_t i = 0; i < 3; i++) {
    write_division(name, overload, mode, unknown[i]);
    assert_int_equal(measure(&error), ET_STATUS_INVALID_PROGRAM);
    assert_non_null(strstr(error.message, name));
    assert_non_null(strstr(error.message, "args[1] (uint"));
  }
}

static void test_divisors_of_unknown_dtypes_are_refused_at_load(void **state) {
  (void)state;
  expect_unknown_dtypes_rejected("aten::div", "out_mode", "floor");
  expect_unknown_dtypes_rejected("aten::floor_divide", "out", NULL);
  expect_unknown_dtypes_rejected("aten::remainder", "Tensor_out", NULL);
}

/* Each row has a rule for each tensor, so that no kernel receives an unchecked
 * tensor. */
static void test_every_kernel_row_has_rules(void **state) {
  (void)state;
  for (size_t i = 0; i < et_all_kernels.count; i++) {
    const et_kernel *row = &et_all_kernels.kernels[i];
    const size_t before_returns = strcspn(row->signature, ">");
    const size_t first_tensor = strcspn(row->signature, "tmwTWO");
    assert_true(first_tensor >= before_returns || row->rules != NULL);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_divisors_of_unknown_dtypes_are_refused_at_load),
      cmocka_unit_test(test_every_kernel_row_has_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
