#include "backends/cpu/schema/embedding_qw.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

enum { ROWS = 21, GROUPS = 2, COUNT = 5 };

/* Makes an op with packed words, scales, indices, and zero points (shift 1) or minima (shift 2). It
 * has 2 groups of 2 words. */
static void make_of(et_test_op *test, int32_t bits, int32_t shift,
                    et_scalar_type scales, et_scalar_type zeros) {
  const int32_t count = COUNT;
  et_test_begin(test, &et_cpu_op_embedding_qw);
  et_test_input(test, ET_SCALAR_TYPE_INT32, 3, (int32_t[]){2, 4, 16});
  et_test_input(test, scales, 3, (int32_t[]){2, GROUPS, 16});
  int64_t *indices = et_test_input(test, ET_SCALAR_TYPE_INT64, 1, &count);
  for (int32_t i = 0; i < COUNT; i++) {
    indices[i] = (int64_t[]){20, 0, 16, 15, 20}[i];
  }
  if (shift != 0) {
    et_test_input(test, zeros, 3, (int32_t[]){2, GROUPS, 16});
  }
  et_test_output(test, F32, 2, (int32_t[]){COUNT, 4 * 32 / bits});
  et_test_int(test, ROWS);
  et_test_int(test, bits);
  et_test_int(test, shift);
}

static void make(et_test_op *test, int32_t bits, int32_t shift) {
  make_of(test, bits, shift, F32, F32);
}

static float parameter(const et_test_op *test, size_t tensor, size_t row,
                       size_t group) {
  return (float)et_test_at(&test->tensors[tensor],
                           (row / 16 * GROUPS + group) * 16 + row % 16);
}

static double element(const et_test_op *test, int32_t bits, int32_t shift,
                      size_t row, size_t column) {
  const size_t per_word = 32 / (size_t)bits;
  const uint32_t *words = test->tensors[0].data;
  const uint32_t word =
      words[(row / 16 * 4 + column / per_word) * 16 + row % 16];
  const uint32_t code =
      word >> (column % per_word * (size_t)bits) & ((1u << bits) - 1u);
  const size_t group = column / per_word / 2;
  const float value =
      (float)code - (code >> (bits - 1) ? (float)(1u << bits) : 0);
  const float scale = parameter(test, 1, row, group);
  const float own = shift != 0 ? parameter(test, 3, row, group) : 0.0f;
  return shift == 2 ? (double)((value + (float)(1 << (bits - 1))) * scale + own)
                    : (double)((value - own) * scale);
}

static void test_reads_rows_from_columns_of_panels(void **state) {
  (void)state;
  const et_scalar_type dtypes[] = {F32, ET_SCALAR_TYPE_FLOAT16,
                                   ET_SCALAR_TYPE_BFLOAT16};
  for (int i = 0; i < 18; i++) {
    const int32_t bits = i % 2 == 0 ? 4 : 8;
    const int32_t shift = i / 2 % 3;
    et_test_op test;
    double expected[COUNT * 32];
    double margin[COUNT * 32] = {0};
    make_of(&test, bits, shift, dtypes[i % 3], dtypes[i / 2 % 3]);
    const size_t columns = 128 / (size_t)bits;
    for (size_t e = 0; e < COUNT * columns; e++) {
      const int64_t *indices = test.tensors[2].data;
      expected[e] = element(&test, bits, shift, (size_t)indices[e / columns],
                            e % columns);
    }
    et_test_run(&test, expected, margin);
    et_test_end(&test);
  }
}

static void test_fails_if_a_row_is_out_of_range(void **state) {
  (void)state;
  const int64_t wrong[COUNT] = {-1, ROWS, 31, INT64_MAX, INT64_MIN};
  for (size_t i = 0; i < COUNT; i++) {
    et_test_op test;
    et_error error = {0};
    et_cpu_fault fault = {ET_STATUS_OK, &error};
    const et_cpu_run run = {.isa = et_test_isa(), .fault = &fault};
    make(&test, 4, 0);
    ((int64_t *)test.tensors[2].data)[i] = wrong[i];
    test.op.type->run(&test.op, &run);
    assert_int_equal(fault.status, ET_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, "embedding_qw: row "));
    et_test_end(&test);
  }
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  et_test_op test;
  make(&test, 4, 1);
  test.attributes[0] = 33;
  et_test_refused(&test, "embedding_qw: tensor 0, dim 0 is 2, expected 3");
  test.attributes[0] = 0;
  et_test_refused(&test, "embedding_qw: attribute 0 is 0");
  test.attributes[0] = ROWS;
  test.attributes[1] = 6;
  et_test_refused(&test, "embedding_qw: weights have 6 bits");
  test.attributes[1] = 4;
  test.attributes[2] = 0;
  et_test_refused(
      &test, "embedding_qw: 4 inputs, inconsistent with weight offset kind 0");
  test.attributes[2] = 1;
  test.tensors[1].sizes[1] = 3;
  et_test_refused(&test,
                  "embedding_qw: 4 words cannot be split evenly into 3 groups");
  test.tensors[1].sizes[1] = GROUPS;
  for (uint8_t i = 1; i < ET_CPU_MAX_RANK; i++) {
    test.tensors[2].sizes[i] = 1;
  }
  test.tensors[2].rank = ET_CPU_MAX_RANK;
  et_test_refused(&test, "embedding_qw: tensor 2 has 8 dims, expected fewer");
  test.tensors[2].rank = 1;
  test.tensors[2].dtype = F32;
  et_test_refused(&test, "embedding_qw: tensor 2 is float32");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reads_rows_from_columns_of_panels),
      cmocka_unit_test(test_fails_if_a_row_is_out_of_range),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
