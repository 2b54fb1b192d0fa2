#include "backends/cpu/schema/elementwise_f32.h"
#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/elementwise.h"
#include "backends/cpu/ops/testing.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

static void instruct(et_test_op *test, et_cpu_opcode opcode, int32_t a,
                     int32_t b) {
  et_test_int(test, (int32_t)opcode);
  et_test_int(test, a);
  et_test_int(test, b);
  et_test_int(test, 0);
  et_test_int(test, 0);
}

/* Returns the element of operand `x` that is broadcast to element `index` of y. */
static size_t source(const et_cpu_tensor *x, const et_cpu_tensor *y,
                     size_t index) {
  size_t from = 0;
  size_t stride = 1;
  for (size_t i = 0; i < y->rank; i++) {
    const size_t size = (size_t)y->sizes[y->rank - 1u - i];
    if (i < x->rank) {
      const size_t own = (size_t)x->sizes[x->rank - 1u - i];
      from += own == 1 ? 0 : index % size * stride;
      stride *= own;
    }
    index /= size;
  }
  return from;
}

static double operand_at(const et_cpu_tensor *x, size_t index) {
  switch (x->dtype) {
    case ET_SCALAR_TYPE_BOOL:
      return ((const uint8_t *)x->data)[index] != 0;
    case ET_SCALAR_TYPE_INT64:
      return (double)(float)((const int64_t *)x->data)[index];
    case ET_SCALAR_TYPE_INT32:
      return (double)(float)((const int32_t *)x->data)[index];
    default:
      return (double)((const float *)x->data)[index];
  }
}

/* Computes element `index` of the output in double precision. */
static double element(const et_test_op *test, size_t index) {
  double registers[ET_CPU_ELEMENTWISE_MAX_REGISTERS];
  size_t n = test->op.input_count;
  const et_cpu_tensor *y = test->op.tensors[n];
  for (size_t i = 0; i < n; i++) {
    const et_cpu_tensor *x = &test->tensors[i];
    registers[i] = operand_at(x, source(x, y, index));
  }
  const et_cpu_elementwise_f32_attributes attributes =
      et_cpu_elementwise_f32_attributes_read(test->attributes,
                                             test->op.attribute_count);
  for (size_t i = 0; i < attributes.instructions_count; i++) {
    const et_cpu_instruction_f32 each = et_cpu_instruction_f32_read(
        attributes.instructions + i * ET_CPU_INSTRUCTION_F32_WORDS);
    registers[n++] = each.opcode == ET_CPU_OPCODE_CONSTANT
                         ? (double)each.value
                         : et_test_elementwise_result(
                               each.opcode, registers[each.registers[0]],
                               registers[each.registers[1]]);
  }
  return registers[n - 1];
}

static void check_program(et_test_op *test, double tolerance) {
  const size_t count = et_test_result(test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    expected[i] = element(test, i);
    expected[count + i] = tolerance * (1 + fabs(expected[i]));
  }
  et_test_run(test, expected, expected + count);
  free(expected);
  et_test_end(test);
}

/* Checks (x0 - x1) * x2 ... for shapes that broadcast. */
static void check_broadcast(uint8_t rank, const int32_t *sizes, size_t count) {
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_f32);
  for (size_t i = 0; i < count; i++) {
    const uint8_t own = (uint8_t)(i == 0 ? rank : et_test_below(rank + 1u));
    int32_t dims[ET_CPU_MAX_RANK];
    for (uint8_t d = 0; d < own; d++) {
      const bool full = i == 0 || et_test_below(3) != 0;
      dims[d] = full ? sizes[rank - own + d] : 1;
    }
    et_test_input(&test, F32, own, dims);
  }
  et_test_output(&test, F32, rank, sizes);
  et_test_int(&test, (int32_t)count);
  instruct(&test, ET_CPU_OPCODE_NEG, 0, 0);
  for (size_t i = 0; i < count; i++) {
    instruct(&test, i % 2 == 0 ? ET_CPU_OPCODE_SUB : ET_CPU_OPCODE_MUL,
             (int32_t)(count + i), (int32_t)i);
  }
  check_program(&test, 1e-6);
}

static void test_operands_are_broadcast(void **state) {
  (void)state;
  for (int i = 0; i < 400; i++) {
    const uint8_t rank = (uint8_t)et_test_below(6);
    int32_t sizes[ET_CPU_MAX_RANK];
    for (uint8_t d = 0; d < rank; d++) {
      sizes[d] = (int32_t)(et_test_below(40) == 0 ? 0 : 1 + et_test_below(6));
    }
    if (rank > 0) {
      sizes[et_test_below(rank)] = 1 + (int32_t)et_test_below(90);
    }
    check_broadcast(rank, sizes,
                    1 + et_test_below(ET_CPU_ELEMENTWISE_MAX_OPERANDS));
  }
}

static void test_divides_rows_into_blocks(void **state) {
  (void)state;
  const int32_t rows[] = {255, 256, 257, 500, 1024, 1025, 1031, 20000};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const int32_t sizes[3] = {2, 3, rows[i]};
    check_broadcast(3, sizes, 3);
    check_broadcast(3, sizes, 5);
  }
}

static void test_broadcasts_channels_to_pixels(void **state) {
  (void)state;
  const int32_t sizes[4] = {2, 31, 33, 16};
  const int32_t factors[4] = {2, 1, 1, 16};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_f32);
  et_test_input(&test, F32, 4, sizes);
  et_test_input(&test, F32, 4, factors);
  et_test_output(&test, F32, 4, sizes);
  et_test_int(&test, 2);
  instruct(&test, ET_CPU_OPCODE_MUL, 0, 1);
  check_program(&test, 1e-7);
}

/* Checks one opcode with operands in [low, high]. */
static void check_opcode(et_cpu_opcode opcode, float low, float high,
                         double tolerance) {
  const int32_t sizes[1] = {5000};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_f32);
  for (int i = 0; i < 2; i++) {
    float *x = et_test_input(&test, F32, 1, sizes);
    for (int32_t k = 0; k < sizes[0]; k++) {
      x[k] = low + (high - low) * (0.5f + 0.5f * x[k]);
    }
  }
  et_test_output(&test, F32, 1, sizes);
  et_test_int(&test, 2);
  instruct(&test, opcode, 0, 1);
  check_program(&test, tolerance);
}

static void test_every_opcode(void **state) {
  (void)state;
  check_opcode(ET_CPU_OPCODE_ADD, -5, 5, 1e-7);
  check_opcode(ET_CPU_OPCODE_SUB, -5, 5, 1e-7);
  check_opcode(ET_CPU_OPCODE_MUL, -5, 5, 1e-7);
  check_opcode(ET_CPU_OPCODE_DIV, 1, 5, 1e-7);
  check_opcode(ET_CPU_OPCODE_MAX, -5, 5, 0);
  check_opcode(ET_CPU_OPCODE_MIN, -5, 5, 0);
  check_opcode(ET_CPU_OPCODE_POW, 0.1f, 5, 2e-7);
  check_opcode(ET_CPU_OPCODE_NEG, -5, 5, 0);
  check_opcode(ET_CPU_OPCODE_ABS, -5, 5, 0);
  check_opcode(ET_CPU_OPCODE_EXP, -20, 20, 2e-7);
  check_opcode(ET_CPU_OPCODE_LOG, 0, 20, 2e-7);
  check_opcode(ET_CPU_OPCODE_LOG, 0.9f, 1.1f, 1e-8);
  check_opcode(ET_CPU_OPCODE_LOG, 0, 1e-38f, 2e-7);
  check_opcode(ET_CPU_OPCODE_LOG, 0, 3e38f, 2e-7);
  check_opcode(ET_CPU_OPCODE_SQRT, 0, 20, 1e-7);
  check_opcode(ET_CPU_OPCODE_RSQRT, 0.1f, 20, 2e-7);
  check_opcode(ET_CPU_OPCODE_RECIPROCAL, 0.1f, 20, 1e-7);
  check_opcode(ET_CPU_OPCODE_SIN, -1000, 1000, 1e-7);
  check_opcode(ET_CPU_OPCODE_COS, -1000, 1000, 1e-7);
  check_opcode(ET_CPU_OPCODE_ERF, -5, 5, 2e-7);
  check_opcode(ET_CPU_OPCODE_FLOOR, -5, 5, 0);
  check_opcode(ET_CPU_OPCODE_CEIL, -5, 5, 0);
  check_opcode(ET_CPU_OPCODE_ROUND, -5, 5, 0);
  check_opcode(ET_CPU_OPCODE_FLOOR, -2e7f, 2e7f, 0);
  check_opcode(ET_CPU_OPCODE_CEIL, -2e7f, 2e7f, 0);
  check_opcode(ET_CPU_OPCODE_ROUND, -2e7f, 2e7f, 0);
}

/* Operands are small integers, so that some are equal and some are 0. */
static void check_comparison(et_cpu_opcode opcode, et_scalar_type dtype) {
  const int32_t sizes[2] = {3, 1003};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_f32);
  for (int i = 0; i < 2; i++) {
    float *x = et_test_input(&test, F32, 2, sizes);
    for (int32_t k = 0; k < sizes[0] * sizes[1]; k++) {
      x[k] = (float)et_test_below(5) - 2.0f;
    }
  }
  et_test_output(&test, dtype, 2, sizes);
  et_test_int(&test, 2);
  et_test_int(&test, (int32_t)opcode);
  et_test_int(&test, 0);
  et_test_int(&test, 1);
  et_test_int(&test, 0); /* the third register of WHERE */
  et_test_int(&test, 0);
  check_program(&test, 0);
}

static void test_comparisons_and_where(void **state) {
  (void)state;
  for (int opcode = ET_CPU_OPCODE_EQ; opcode <= ET_CPU_OPCODE_NOT; opcode++) {
    check_comparison((et_cpu_opcode)opcode, F32);
    if (opcode != ET_CPU_OPCODE_WHERE) {
      check_comparison((et_cpu_opcode)opcode, ET_SCALAR_TYPE_BOOL);
    }
  }
}

/* Checks x < y for booleans and integers with random bits, with shapes that broadcast. */
static void test_converts_integers_and_booleans(void **state) {
  (void)state;
  const et_scalar_type dtypes[] = {F32, ET_SCALAR_TYPE_BOOL,
                                   ET_SCALAR_TYPE_INT64, ET_SCALAR_TYPE_INT32};
  const int32_t sizes[3] = {3, 37, 21};
  const int32_t column[2] = {37, 1};
  for (size_t i = 0; i < 16; i++) {
    et_test_op test;
    et_test_begin(&test, &et_cpu_op_elementwise_f32);
    et_test_input(&test, dtypes[i % 4], 3, sizes);
    et_test_input(&test, dtypes[i / 4], 2, column);
    et_test_output(&test, ET_SCALAR_TYPE_BOOL, 3, sizes);
    et_test_int(&test, 2);
    instruct(&test, ET_CPU_OPCODE_LT, 0, 1);
    check_program(&test, 0);
  }
}

static const float special_operands[] = {
    NAN,   INFINITY, -INFINITY, 0.0f,   -0.0f, 0.5f,  -0.5f,
    1.5f,  2.5f,     -2.5f,     1e-40f, 1.0f,  -1.0f, 3e9f,
    -3e9f, 1e-30f,   -0.9f,     3e38f,  -3e38f};

static bool like(double a, double b) {
  return isnan(b) ? isnan(a) : a == b && signbit(a) == signbit(b);
}

/* Checks special values, whose results are exact. */
static void check_special(et_cpu_opcode opcode) {
  const int32_t sizes[1] = {sizeof(special_operands) / sizeof(float)};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_f32);
  float *x = et_test_input(&test, F32, 1, sizes);
  memcpy(x, special_operands, sizeof(special_operands));
  const float *y = et_test_output(&test, F32, 1, sizes);
  et_test_int(&test, 1);
  instruct(&test, opcode, 0, 0);
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    const et_cpu_run run = {.isa = (uint8_t)isa};
    if (!et_cpu_isa_available((et_cpu_isa)isa)) {
      continue;
    }
    test.op.type->run(&test.op, &run);
    for (int32_t i = 0; i < sizes[0]; i++) {
      const double expected =
          et_test_elementwise_result(opcode, (double)x[i], (double)x[i]);
      const bool exact = opcode >= ET_CPU_OPCODE_FLOOR || !isfinite(expected);
      if (exact && !like((double)y[i], expected)) {
        fail_msg("isa %d, opcode %d of %.9g: %.9g, expected %.9g", isa,
                 (int)opcode, (double)x[i], (double)y[i], expected);
      }
    }
  }
  et_test_end(&test);
}

static void test_special_values(void **state) {
  (void)state;
  const et_cpu_opcode opcodes[] = {ET_CPU_OPCODE_MAX,  ET_CPU_OPCODE_MIN,
                                   ET_CPU_OPCODE_LOG,  ET_CPU_OPCODE_SQRT,
                                   ET_CPU_OPCODE_ERF,  ET_CPU_OPCODE_FLOOR,
                                   ET_CPU_OPCODE_CEIL, ET_CPU_OPCODE_ROUND};
  for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
    check_special(opcodes[i]);
  }
}

static void test_maximum_is_nan_if_either_operand_is(void **state) {
  (void)state;
  const int32_t sizes[1] = {2};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_f32);
  float *a = et_test_input(&test, F32, 1, sizes);
  float *b = et_test_input(&test, F32, 1, sizes);
  const float *y = et_test_output(&test, F32, 1, sizes);
  a[0] = b[1] = NAN;
  et_test_int(&test, 2);
  instruct(&test, ET_CPU_OPCODE_MAX, 0, 1);
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    if (et_cpu_isa_available((et_cpu_isa)isa)) {
      const et_cpu_run run = {.isa = (uint8_t)isa};
      test.op.type->run(&test.op, &run);
      assert_true(isnan(y[0]) && isnan(y[1]));
    }
  }
  et_test_end(&test);
}

/* Computes 3 * max(x, 0) + 0.5 in place. */
static void test_in_place_with_constant_and_activation(void **state) {
  (void)state;
  const int32_t sizes[2] = {7, 300};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_elementwise_f32);
  float *x = et_test_input(&test, F32, 2, sizes);
  void *buffer = et_test_output(&test, F32, 2, sizes);
  test.tensors[1].data = x;
  et_test_int(&test, 1);
  instruct(&test, ET_CPU_OPCODE_CONSTANT, 0x40400000, 0);
  instruct(&test, ET_CPU_OPCODE_MUL, 0, 1);
  et_test_int(&test, ET_CPU_OPCODE_ACTIVATE);
  et_test_int(&test, 2);
  et_test_int(&test, ET_CPU_ACTIVATION_FUNCTION_CLAMP);
  et_test_float(&test, 0.0f);
  et_test_float(&test, INFINITY);
  et_error error = {0};
  assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
  for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
    const et_cpu_run run = {.isa = (uint8_t)isa};
    for (int i = 0; i < 2100; i++) {
      x[i] = (float)(i % 17) - 8.0f;
    }
    for (int i = 0; et_cpu_isa_available((et_cpu_isa)isa) && i < 2100; i++) {
      if (i == 0) {
        test.op.type->run(&test.op, &run);
      }
      assert_true(x[i] == 3.0f * fmaxf((float)(i % 17) - 8.0f, 0.0f));
    }
  }
  test.tensors[1].data = buffer;
  et_test_end(&test);
}

static void make_sum(et_test_op *test) {
  const int32_t sizes[2] = {3, 4};
  et_test_begin(test, &et_cpu_op_elementwise_f32);
  et_test_input(test, F32, 2, sizes);
  et_test_input(test, F32, 2, sizes);
  et_test_output(test, F32, 2, sizes);
  et_test_int(test, 2);
  instruct(test, ET_CPU_OPCODE_ADD, 0, 1);
  instruct(test, ET_CPU_OPCODE_MUL, 2, 1);
}

static void test_rejects_invalid_programs(void **state) {
  (void)state;
  et_test_op test;
  make_sum(&test);
  test.attributes[7] = 3;
  et_test_refused(
      &test,
      "elementwise_f32: instruction 1 reads register 3, but the number "
      "of defined registers is 3");
  test.attributes[7] = (uint32_t)-1;
  et_test_refused(&test, "elementwise_f32: instruction 1 reads register -1");
  test.attributes[7] = 2;
  test.attributes[1] = 99;
  et_test_refused(&test, "elementwise_f32: attribute 1 is 99");
  test.attributes[1] = ET_CPU_OPCODE_ACTIVATE;
  test.attributes[3] = 77;
  et_test_refused(&test,
                  "elementwise_f32: instruction 0 has activation function 77");
  test.attributes[3] = 1;
  test.attributes[3] = 0x80000000;
  et_test_refused(&test, "has activation function 2147483648");
  test.attributes[3] = 1;
  test.attributes[0] = 9;
  et_test_refused(&test, "elementwise_f32: attribute 0 is 9, expected 1 to 8");
  test.attributes[0] = 1;
  et_test_refused(&test, "elementwise_f32: 1 operands, expected 2");
  test.attributes[0] = 2;
  test.op.attribute_count = 10;
  et_test_refused(
      &test, "elementwise_f32: 10 attributes, expected 1 plus a multiple of 5");
  test.op.attribute_count = 1;
  et_test_refused(&test, "elementwise_f32: the program has no instructions");
  test.op.attribute_count = 1 + 5 * 31;
  et_test_refused(&test, "elementwise_f32: 33 registers, expected at most 32");
  et_test_end(&test);
}

static void test_rejects_operands_of_wrong_sizes_and_dtypes(void **state) {
  (void)state;
  et_test_op test;
  make_sum(&test);
  test.tensors[1].sizes[0] = 2;
  et_test_refused(&test,
                  "elementwise_f32: tensor 1, dim 0 is 2, expected 3 or 1");
  test.tensors[1].sizes[0] = 1;
  test.tensors[1].rank = 3;
  et_test_refused(&test,
                  "elementwise_f32: tensor 1 has 3 dims, but the output has 2");
  test.tensors[1].rank = 2;
  test.tensors[2].dtype = ET_SCALAR_TYPE_INT64;
  et_test_refused(
      &test, "elementwise_f32: tensor 2 is int64, expected float32 or bool");
  test.tensors[2].dtype = F32;
  test.tensors[1].dtype = ET_SCALAR_TYPE_INT8;
  et_test_refused(&test,
                  "elementwise_f32: tensor 1 has unsupported dtype int8");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operands_are_broadcast),
      cmocka_unit_test(test_divides_rows_into_blocks),
      cmocka_unit_test(test_broadcasts_channels_to_pixels),
      cmocka_unit_test(test_every_opcode),
      cmocka_unit_test(test_comparisons_and_where),
      cmocka_unit_test(test_converts_integers_and_booleans),
      cmocka_unit_test(test_special_values),
      cmocka_unit_test(test_maximum_is_nan_if_either_operand_is),
      cmocka_unit_test(test_in_place_with_constant_and_activation),
      cmocka_unit_test(test_rejects_invalid_programs),
      cmocka_unit_test(test_rejects_operands_of_wrong_sizes_and_dtypes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
