#include "backends/cpu/schema/elementwise_i64.h"
#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define I64 ET_SCALAR_TYPE_INT64
#define I32 ET_SCALAR_TYPE_INT32
#define BOOL ET_SCALAR_TYPE_BOOL
#define ELEMENTS 777

static void instruct(et_test_op *test, int32_t opcode, int32_t a, int32_t b,
                     int32_t c) {
  et_test_int(test, opcode);
  et_test_int(test, a);
  et_test_int(test, b);
  et_test_int(test, c);
  et_test_int(test, 0);
}

static void expect(et_test_op *test, const double *expected) {
  static const double margin[ELEMENTS];
  et_test_run(test, expected, margin);
  et_test_end(test);
}

static void check_opcode(int opcode) {
  const int32_t sizes[2] = {7, 111};
  double expected[ELEMENTS];
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_i64);
  int64_t *a = et_test_input(&test, I64, 2, sizes);
  int64_t *b = et_test_input(&test, I64, 2, sizes);
  et_test_output(&test, I64, 2, sizes);
  for (int i = 0; i < ELEMENTS; i++) {
    a[i] = (int64_t)et_test_below(5) - 2;
    b[i] = (int64_t)et_test_below(5) - 2;
    expected[i] = et_test_elementwise_result((uint32_t)opcode, (double)a[i],
                                             (double)b[i]);
  }
  et_test_int(&test, 2);
  instruct(&test, opcode, 0, 1, 0);
  expect(&test, expected);
}

static void test_every_integer_opcode(void **state) {
  (void)state;
  const int opcodes[] = {
      ET_CPU_OPCODE_ADD, ET_CPU_OPCODE_SUB,   ET_CPU_OPCODE_MUL,
      ET_CPU_OPCODE_MAX, ET_CPU_OPCODE_MIN,   ET_CPU_OPCODE_NEG,
      ET_CPU_OPCODE_EQ,  ET_CPU_OPCODE_NE,    ET_CPU_OPCODE_LT,
      ET_CPU_OPCODE_LE,  ET_CPU_OPCODE_GT,    ET_CPU_OPCODE_GE,
      ET_CPU_OPCODE_AND, ET_CPU_OPCODE_WHERE, ET_CPU_OPCODE_OR,
      ET_CPU_OPCODE_NOT};
  for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
    check_opcode(opcodes[i]);
  }
}

/* Computes the causal mask row + 5 >= column, with inputs of other dtypes. */
static void test_computes_a_causal_mask(void **state) {
  (void)state;
  const int32_t rows[2] = {21, 1};
  const int32_t columns[1] = {37};
  const int32_t sizes[2] = {21, 37};
  double expected[ELEMENTS];
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_i64);
  int64_t *row = et_test_input(&test, I64, 2, rows);
  int32_t *column = et_test_input(&test, I32, 1, columns);
  et_test_output(&test, BOOL, 2, sizes);
  for (int i = 0; i < 37; i++) {
    row[i % 21] = i % 21;
    column[i] = i;
  }
  for (int i = 0; i < ELEMENTS; i++) {
    expected[i] = i / 37 + 5 >= i % 37;
  }
  et_test_int(&test, 2);
  instruct(&test, ET_CPU_OPCODE_CONSTANT, 5, 0, 0);
  instruct(&test, ET_CPU_OPCODE_ADD, 0, 2, 0);
  instruct(&test, ET_CPU_OPCODE_GE, 3, 1, 0);
  expect(&test, expected);
}

/* 2^40 + 1 is not a float32. */
static void test_int64_is_exact_beyond_float_range(void **state) {
  (void)state;
  const int32_t sizes[1] = {2};
  const double exact[2] = {1099511627777.0, -1099511627775.0};
  const double low[2] = {1, 1};
  for (int narrow = 0; narrow < 2; narrow++) {
    et_test_op test;
    et_test_begin(&test, &et_cpu_op_elementwise_i64);
    int64_t *x = et_test_input(&test, I64, 1, sizes);
    et_test_output(&test, narrow ? BOOL : I64, 1, sizes);
    x[0] = INT64_C(1) << 40;
    x[1] = -x[0];
    et_test_int(&test, 1);
    instruct(&test, ET_CPU_OPCODE_CONSTANT, 1, 0, 0);
    instruct(&test, ET_CPU_OPCODE_ADD, 0, 1, 0);
    expect(&test, narrow ? low : exact);
  }
}

static void test_rejects_opcodes_without_an_integer_variant(void **state) {
  (void)state;
  const int32_t sizes[1] = {2};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_i64);
  et_test_input(&test, I64, 1, sizes);
  et_test_output(&test, I64, 1, sizes);
  et_test_int(&test, 1);
  instruct(&test, ET_CPU_OPCODE_EXP, 0, 0, 0);
  et_test_refused(&test, "elementwise_i64: opcode 11 of instruction 0 is not");
  test.attributes[1] = 32;
  et_test_refused(&test, "attribute 1 is 32, expected 0 to 31");
  test.attributes[1] = ET_CPU_OPCODE_NEG;
  test.attributes[2] = 1;
  et_test_refused(
      &test,
      "elementwise_i64: instruction 0 reads register 1, but the number "
      "of defined registers is 1");
  test.attributes[2] = 0;
  test.tensors[1].dtype = ET_SCALAR_TYPE_FLOAT32;
  et_test_refused(&test,
                  "elementwise_i64: tensor 1 has unsupported dtype float32");
  test.tensors[1].dtype = I64;
  test.tensors[0].sizes[0] = 3;
  et_test_refused(&test,
                  "elementwise_i64: tensor 0, dim 0 is 3, expected 2 or 1");
  test.op.attribute_count = 7;
  et_test_refused(
      &test, "elementwise_i64: 7 attributes, expected 1 plus a multiple of 5");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_integer_opcode),
      cmocka_unit_test(test_computes_a_causal_mask),
      cmocka_unit_test(test_int64_is_exact_beyond_float_range),
      cmocka_unit_test(test_rejects_opcodes_without_an_integer_variant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
