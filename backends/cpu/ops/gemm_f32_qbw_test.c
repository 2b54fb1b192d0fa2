#include "backends/cpu/schema/gemm_f32_qbw.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32

typedef struct shape {
  int32_t rows, groups, group, columns, bits;
  int32_t shift; /* 1: zero points, 2: minima */
  bool residual, clamp;
  et_scalar_type scales;
} shape;

enum { X, WORDS, SCALES, BIAS, MORE };

static int32_t panel_count(const shape *s) { return (s->columns + 15) / 16; }

static void make(et_test_op *test, const shape *s) {
  const int32_t depth = s->groups * s->group;
  const int32_t panels = panel_count(s);
  const int32_t bias = panels * 16;
  et_test_begin(test, &et_cpu_op_gemm_f32_qbw);
  et_test_input(test, F32, 2, (int32_t[]){s->rows, depth});
  et_test_input(test, ET_SCALAR_TYPE_INT32, 3,
                (int32_t[]){panels, depth * s->bits / 32, 16});
  et_test_input(test, s->scales, 3, (int32_t[]){panels, s->groups, 16});
  et_test_input(test, F32, 1, &bias);
  if (s->shift != 0) {
    et_test_input(test, s->shift == 2 ? s->scales : F32, 3,
                  (int32_t[]){panels, s->groups, 16});
  }
  if (s->residual) {
    et_test_input(test, F32, 2, (int32_t[]){s->rows, s->columns});
  }
  et_test_output(test, F32, 2, (int32_t[]){s->rows, s->columns});
  et_test_int(test, s->bits);
  et_test_int(test, s->shift);
  et_test_int(test, s->clamp ? 1 : 0);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
}

static double code(const et_test_op *test, const shape *s, size_t k, size_t n) {
  const size_t per_word = 32 / (size_t)s->bits;
  const size_t words = (size_t)(s->groups * s->group) / per_word;
  const uint32_t *all = test->tensors[WORDS].data;
  const uint32_t word = all[(n / 16 * words + k / per_word) * 16 + n % 16];
  const uint32_t bits =
      word >> (k % per_word * (size_t)s->bits) & ((1u << s->bits) - 1u);
  return (double)bits - (bits >> (s->bits - 1) ? (double)(1u << s->bits) : 0.0);
}

static double weight(const et_test_op *test, const shape *s, size_t k,
                     size_t n) {
  const size_t index =
      (n / 16 * (size_t)s->groups + k / (size_t)s->group) * 16 + n % 16;
  const double scale = et_test_at(&test->tensors[SCALES], index);
  const double shift =
      s->shift != 0 ? et_test_at(&test->tensors[MORE], index) : 0;
  return s->shift == 2
             ? (code(test, s, k, n) + (1 << (s->bits - 1))) * scale + shift
             : (code(test, s, k, n) - shift) * scale;
}

/* Computes one element in double, and the error bound of a sum in float32. */
static double element(const et_test_op *test, const shape *s, size_t m,
                      size_t n, double *margin) {
  const size_t depth = (size_t)(s->groups * s->group);
  const float *x = (const float *)test->tensors[X].data + m * depth;
  double sum = ((const float *)test->tensors[BIAS].data)[n];
  double size = fabs(sum);
  for (size_t k = 0; k < depth; k++) {
    const double product = (double)x[k] * weight(test, s, k, n);
    sum += product;
    size += fabs(product);
  }
  if (s->residual) {
    const float *residual = test->tensors[s->shift != 0 ? MORE + 1 : MORE].data;
    sum += (double)residual[m * (size_t)s->columns + n];
  }
  *margin = 1e-6 + 1e-6 * size;
  return !s->clamp ? sum : sum < -0.5 ? -0.5 : sum > 0.75 ? 0.75 : sum;
}

static void check_product(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = malloc((2 * count + 1) * sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    expected[i] = element(&test, s, i / (size_t)s->columns,
                          i % (size_t)s->columns, &expected[count + i]);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void check_shapes(int32_t rows_below) {
  const et_scalar_type dtypes[] = {F32, ET_SCALAR_TYPE_FLOAT16,
                                   ET_SCALAR_TYPE_BFLOAT16};
  for (int i = 0; i < 60; i++) {
    const int32_t bits = et_test_below(2) == 0 ? 4 : 8;
    const shape s = {1 + (int32_t)et_test_below((size_t)rows_below),
                     1 + (int32_t)et_test_below(5),
                     32 / bits * (1 + (int32_t)et_test_below(9)),
                     1 + (int32_t)et_test_below(150),
                     bits,
                     (int32_t)et_test_below(3),
                     et_test_below(2) == 0,
                     et_test_below(2) == 0,
                     dtypes[i % 3]};
    check_product(&s);
  }
}

static void test_one_row_of_random_shapes(void **state) {
  (void)state;
  check_shapes(1);
}

/* Covers scales of each dtype, alone and with zero points or minima. */
static void test_one_row_with_each_parameter_format(void **state) {
  (void)state;
  const et_scalar_type dtypes[] = {F32, ET_SCALAR_TYPE_FLOAT16,
                                   ET_SCALAR_TYPE_BFLOAT16};
  for (int32_t i = 0; i < 18; i++) {
    const shape s = {1,    5,     i < 9 ? 32 : 64,  41, 4, i % 3,
                     true, false, dtypes[i / 3 % 3]};
    check_product(&s);
  }
}

static void test_rows_of_random_shapes(void **state) {
  (void)state;
  check_shapes(20);
}

static void test_zero_rows_and_many_rows(void **state) {
  (void)state;
  const shape shapes[] = {{0, 2, 32, 20, 4, 0, true, false, F32},
                          {1100, 1, 8, 18, 4, 1, true, true, F32},
                          {1, 9, 256, 100, 4, 0, true, true, F32},
                          {3, 9, 64, 100, 8, 1, false, true, F32}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_product(&shapes[i]);
  }
}

/* Covers rows in several K blocks, with whole groups or within one long group. */
static void test_long_rows(void **state) {
  (void)state;
  const shape shapes[] = {{1, 70, 32, 20, 4, 1, true, true, F32},
                          {1, 70, 32, 20, 4, 2, true, true, F32},
                          {1, 5, 1000, 33, 8, 1, false, true, F32},
                          {1, 2, 4104, 18, 4, 0, true, false, F32},
                          {1, 2, 4104, 18, 8, 2, true, false, F32}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_product(&shapes[i]);
  }
}

static void test_applies_activations_other_than_clamps_last(void **state) {
  (void)state;
  for (int32_t rows = 1; rows < 3; rows++) {
    const shape s = {rows, 2, 32, 41, 4, 1, true, false, F32};
    et_test_op test;
    make(&test, &s);
    test.attributes[2] = 9; /* leaky ReLU with slope -0.5 */
    double expected[2 * 41];
    double margin[2 * 41];
    for (size_t i = 0; i < (size_t)rows * 41; i++) {
      const double sum = element(&test, &s, i / 41, i % 41, &margin[i]);
      expected[i] = sum < 0 ? -0.5 * sum : sum;
    }
    et_test_run(&test, expected, margin);
    et_test_end(&test);
  }
}

/* Each group of a row has its own scale, so small values are as exact as large ones. */
static void test_groups_of_large_and_of_small_values(void **state) {
  (void)state;
  const float sizes[] = {3e33f, 1e-33f, 0.0f, 1e-3f, 1e4f, 1e-42f, 2e36f};
  const shape s = {1, 7, 32, 41, 4, 1, true, false, F32};
  double expected[41];
  double margin[41];
  for (int group = 0; group < 7; group++) {
    et_test_op test;
    make(&test, &s);
    float *x = test.tensors[X].data;
    for (int k = 0; k < 7 * 32; k++) {
      x[k] = k / 32 == group ? x[k] * sizes[group] : 0.0f;
    }
    for (size_t n = 0; n < 41; n++) {
      expected[n] = element(&test, &s, 0, n, &margin[n]);
    }
    et_test_run(&test, expected, margin);
    et_test_end(&test);
  }
}

/* Integer accumulators reach the limits of their type. */
static void test_largest_accumulators(void **state) {
  (void)state;
  const uint32_t per_word[] = {0x88888888u, 0x77777777u};
  for (int32_t i = 0; i < 8; i++) {
    const shape s = {1, 3, i < 4 ? 32 : 128, 20, 4, 0, false, false, F32};
    const size_t depth = (size_t)(s.groups * s.group);
    double expected[20];
    double margin[20];
    et_test_op test;
    make(&test, &s);
    for (size_t k = 0; k < depth; k++) {
      ((float *)test.tensors[X].data)[k] = i % 2 == 0 ? 0.7f : -0.7f;
    }
    for (size_t k = 0; k < test.tensors[WORDS].numel; k++) {
      ((uint32_t *)test.tensors[WORDS].data)[k] = per_word[i / 2 % 2];
    }
    for (size_t n = 0; n < 20; n++) {
      expected[n] = element(&test, &s, 0, n, &margin[n]);
    }
    et_test_run(&test, expected, margin);
    et_test_end(&test);
  }
}

static void test_propagates_nan(void **state) {
  (void)state;
  const float none[] = {NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < 3; i++) {
    const shape s = {1, 3, 32, 20, 4, 0, true, false, F32};
    et_test_op test;
    make(&test, &s);
    ((float *)test.tensors[X].data)[40] = none[i];
    for (int isa = 0; isa < ET_CPU_ISA_COUNT; isa++) {
      const et_cpu_run run = {.isa = (uint8_t)isa};
      if (!et_cpu_isa_available((et_cpu_isa)isa)) {
        continue;
      }
      test.op.type->run(&test.op, &run);
      for (size_t n = 0; n < 20; n++) {
        assert_false(isfinite(et_test_at(et_test_result(&test), n)));
      }
    }
    et_test_end(&test);
  }
}

#define MAX_PARTS 4

/* Joins several GEMMs of one row into one op. */
static void join(et_test_op *test, et_test_op *alone, size_t parts) {
  const size_t inputs = alone->op.input_count;
  et_test_begin(test, &et_cpu_op_gemm_f32_qbw);
  for (size_t part = 0; part < parts; part++) {
    for (size_t i = part == 0 ? X : WORDS; i < inputs; i++) {
      const et_cpu_tensor *from = &alone[part].tensors[i];
      memcpy(et_test_input(test, (et_scalar_type)from->dtype, from->rank,
                           from->sizes),
             from->data, from->bytes);
    }
  }
  for (size_t part = 0; part < parts; part++) {
    const et_cpu_tensor *result = et_test_result(&alone[part]);
    et_test_output(test, F32, result->rank, result->sizes);
  }
  for (size_t i = 0; i < alone->op.attribute_count; i++) {
    et_test_int(test, (int32_t)alone->attributes[i]);
  }
}

/* Makes several GEMMs of one random row. */
static void make_alone(et_test_op *alone, const shape *s,
                       const int32_t *columns, size_t parts) {
  for (size_t part = 0; part < parts; part++) {
    shape own = *s;
    own.columns = columns[part];
    make(&alone[part], &own);
    if (part > 0) {
      et_test_copy(&alone[part], X, &alone[0]);
    }
  }
}

static void end_all(et_test_op *alone, size_t parts) {
  for (size_t part = 0; part < parts; part++) {
    et_test_end(&alone[part]);
  }
}

static void check_joined(const shape *s, const int32_t *columns, size_t parts) {
  et_test_op alone[MAX_PARTS];
  et_test_op joined;
  et_error error = {0};
  make_alone(alone, s, columns, parts);
  join(&joined, alone, parts);
  assert_int_equal(et_test_check(&joined, &error), ET_STATUS_OK);
  for (size_t part = 0; part < parts; part++) {
    et_test_same_bits_of(&joined, part, &alone[part]);
  }
  et_test_end(&joined);
  end_all(alone, parts);
}

/* Each result is bitwise equal to that of the separate GEMM. */
static void test_gemms_of_one_row(void **state) {
  (void)state;
  for (int i = 0; i < 40; i++) {
    const int32_t bits = i % 2 == 0 ? 4 : 8;
    const shape s = {1,
                     1 + (int32_t)et_test_below(5),
                     32 / bits * (1 + (int32_t)et_test_below(9)),
                     0,
                     bits,
                     i % 3,
                     false,
                     i % 5 == 0,
                     i % 7 == 0 ? ET_SCALAR_TYPE_BFLOAT16 : F32};
    int32_t columns[MAX_PARTS];
    for (size_t part = 0; part < MAX_PARTS; part++) {
      columns[part] = 1 + (int32_t)et_test_below(90);
    }
    check_joined(&s, columns, 2 + et_test_below(3));
  }
}

/* Covers enough columns to divide among threads, an empty GEMM, and rows in several K blocks. */
static void test_gemms_of_one_row_in_chunks(void **state) {
  (void)state;
  const int32_t columns[MAX_PARTS] = {200, 0, 70, 513};
  const shape shapes[] = {{1, 9, 32, 0, 4, 0, false, false, F32},
                          {1, 70, 32, 0, 4, 1, false, true, F32},
                          {1, 2, 4104, 0, 8, 2, false, false, F32}};
  for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
    check_joined(&shapes[i], columns, MAX_PARTS);
  }
}

static void test_rejects_gemms_with_different_shapes(void **state) {
  (void)state;
  const int32_t columns[MAX_PARTS] = {20, 40};
  const shape s = {1, 2, 32, 0, 4, 1, false, false, F32};
  et_test_op alone[2];
  et_test_op joined;
  make_alone(alone, &s, columns, 2);
  join(&joined, alone, 2);
  joined.tensors[6].sizes[1] = 4; /* scales of the second GEMM */
  et_test_refused(&joined, "gemm_f32_qbw: tensor 6, dim 1 is 4, expected 2");
  joined.tensors[6].sizes[1] = 2;
  joined.tensors[5].sizes[0] = 2; /* packed words of the second GEMM */
  et_test_refused(&joined, "gemm_f32_qbw: tensor 5, dim 0 is 2, expected 3");
  joined.tensors[5].sizes[0] = 3;
  joined.tensors[7].numel = 32; /* its bias */
  et_test_refused(&joined,
                  "gemm_f32_qbw: tensor 7 has 32 elements, expected 48");
  joined.tensors[7].numel = 48;
  joined.tensors[5].dtype = F32;
  et_test_refused(&joined, "gemm_f32_qbw: tensor 5 is float32, expected int32");
  joined.tensors[5].dtype = ET_SCALAR_TYPE_INT32;
  joined.tensors[7].dtype = ET_SCALAR_TYPE_FLOAT16;
  et_test_refused(&joined, "gemm_f32_qbw: tensor 7 is float16, expected float");
  joined.tensors[7].dtype = F32;
  joined.tensors[10].sizes[0] = 2; /* its output */
  et_test_refused(&joined, "gemm_f32_qbw: tensor 10, dim 0 is 2, expected 1");
  joined.tensors[10].sizes[0] = 1;
  joined.op.input_count--;
  et_test_refused(&joined, "gemm_f32_qbw: 8 inputs, expected 9");
  et_test_end(&joined);
  end_all(alone, 2);
}

static void test_rejects_several_gemms_of_several_rows(void **state) {
  (void)state;
  const int32_t columns[MAX_PARTS] = {20, 40};
  const shape s = {3, 2, 32, 0, 4, 0, false, false, F32};
  et_test_op alone[2];
  et_test_op joined;
  make_alone(alone, &s, columns, 2);
  join(&joined, alone, 2);
  et_test_refused(&joined,
                  "gemm_f32_qbw: 2 outputs of 3 rows, expected one row");
  joined.op.output_count = 5;
  et_test_refused(&joined, "gemm_f32_qbw: 5 outputs, expected 1 to 4");
  joined.op.output_count = 2;
  et_test_end(&joined);
  end_all(alone, 2);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  const shape s = {4, 2, 32, 20, 4, 1, true, true, F32};
  et_test_op test;
  make(&test, &s);
  test.attributes[0] = 5;
  et_test_refused(&test, "gemm_f32_qbw: weights have 5 bits, expected 4");
  test.attributes[0] = 8;
  et_test_refused(&test, "gemm_f32_qbw: tensor 1, dim 1 is 8, expected 16");
  test.attributes[0] = 4;
  test.attributes[1] = 0;
  et_test_refused(&test, "gemm_f32_qbw: 6 inputs");
  test.attributes[1] = 3;
  et_test_refused(&test, "gemm_f32_qbw: attribute 1 is 3");
  test.attributes[1] = 1;
  test.attributes[2] = 99;
  et_test_refused(&test, "gemm_f32_qbw: attribute 2 is 99");
  test.attributes[2] = 0;
  test.tensors[MORE].dtype = ET_SCALAR_TYPE_INT32;
  et_test_refused(&test, "gemm_f32_qbw: tensor 4 is int32, expected float32");
  test.tensors[MORE].dtype = F32;
  test.tensors[SCALES].sizes[1] = 0;
  et_test_refused(&test, "gemm_f32_qbw: K is 64 in 0 groups");
  test.tensors[SCALES].sizes[1] = 16;
  et_test_refused(&test, "gemm_f32_qbw: K is 64 in 16 groups");
  test.tensors[SCALES].sizes[1] = 4;
  et_test_refused(&test, "gemm_f32_qbw: tensor 4, dim 1 is 2, expected 4");
  test.tensors[SCALES].sizes[1] = 2;
  test.tensors[WORDS].dtype = F32;
  et_test_refused(&test, "gemm_f32_qbw: tensor 1 is float32, expected int32");
  test.tensors[WORDS].dtype = ET_SCALAR_TYPE_INT32;
  test.tensors[BIAS].numel = 20;
  et_test_refused(&test, "gemm_f32_qbw: tensor 3 has 20 elements, expected 32");
  test.tensors[BIAS].numel = 32;
  test.tensors[MORE + 1].sizes[0] = 3;
  et_test_refused(&test, "gemm_f32_qbw: tensor 5, dim 0 is 3, expected 4");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_one_row_of_random_shapes),
      cmocka_unit_test(test_one_row_with_each_parameter_format),
      cmocka_unit_test(test_rows_of_random_shapes),
      cmocka_unit_test(test_zero_rows_and_many_rows),
      cmocka_unit_test(test_long_rows),
      cmocka_unit_test(test_applies_activations_other_than_clamps_last),
      cmocka_unit_test(test_groups_of_large_and_of_small_values),
      cmocka_unit_test(test_largest_accumulators),
      cmocka_unit_test(test_propagates_nan),
      cmocka_unit_test(test_gemms_of_one_row),
      cmocka_unit_test(test_gemms_of_one_row_in_chunks),
      cmocka_unit_test(test_rejects_gemms_with_different_shapes),
      cmocka_unit_test(test_rejects_several_gemms_of_several_rows),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
