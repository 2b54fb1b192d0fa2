#include "backends/cpu/schema/grouped_gemm_f32.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/grouped_gemm_f32_f16w.h"
#include "backends/cpu/schema/op_codes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define MAX_GROUPS 6

typedef struct shape {
  int32_t rows, depth, columns, groups;
  et_scalar_type weights;
  int32_t ends[MAX_GROUPS];
} shape;

static int32_t panel_count(int32_t columns) { return (columns + 15) / 16; }

static void make(et_test_op *test, const shape *s, bool wide) {
  const int32_t x[2] = {s->rows, s->depth};
  const int32_t panels[4] = {s->groups, panel_count(s->columns), s->depth, 16};
  const int32_t bias[1] = {panel_count(s->columns) * 16};
  const int32_t ends[1] = {s->groups};
  const int32_t y[2] = {s->rows, s->columns};
  et_test_begin(test, s->weights == F32 ? &et_cpu_op_grouped_gemm_f32
                                        : &et_cpu_op_grouped_gemm_f32_f16w);
  et_test_input(test, F32, 2, x);
  et_test_input(test, s->weights, 4, panels);
  et_test_input(test, F32, 1, bias);
  void *data = et_test_input(
      test, wide ? ET_SCALAR_TYPE_INT64 : ET_SCALAR_TYPE_INT32, 1, ends);
  for (int32_t i = 0; i < s->groups; i++) {
    if (wide) {
      ((int64_t *)data)[i] = s->ends[i];
    } else {
      ((int32_t *)data)[i] = s->ends[i];
    }
  }
  et_test_output(test, F32, 2, y);
}

/* Returns the group of a row. If the row has none, returns the number of groups. */
static int32_t group_of(const shape *s, size_t row) {
  int32_t group = 0;
  while (group < s->groups && row >= (size_t)s->ends[group]) {
    group++;
  }
  return group;
}

static double element(const et_test_op *test, const shape *s, size_t m,
                      size_t n, double *margin) {
  const int32_t group = group_of(s, m);
  *margin = 0;
  if (group == s->groups) {
    return 0;
  }
  const size_t depth = (size_t)s->depth;
  const size_t panel = (size_t)group * (size_t)panel_count(s->columns) + n / 16;
  double sum = et_test_at(&test->tensors[2], n);
  double size = fabs(sum);
  for (size_t k = 0; k < depth; k++) {
    const double product =
        et_test_at(&test->tensors[0], m * depth + k) *
        et_test_at(&test->tensors[1], (panel * depth + k) * 16 + n % 16);
    sum += product;
    size += fabs(product);
  }
  *margin = 1e-6 + 1e-6 * size;
  return sum;
}

static void check_grouped(const shape *s, bool wide) {
  et_test_op test;
  make(&test, s, wide);
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

static const et_scalar_type WEIGHTS[] = {F32, ET_SCALAR_TYPE_FLOAT16,
                                         ET_SCALAR_TYPE_BFLOAT16};

static void test_groups_of_random_shapes(void **state) {
  (void)state;
  for (int i = 0; i < 60; i++) {
    shape s = {.rows = (int32_t)et_test_below(60),
               .depth = (int32_t)et_test_below(70),
               .columns = 1 + (int32_t)et_test_below(100),
               .groups = (int32_t)et_test_below(MAX_GROUPS + 1),
               .weights = WEIGHTS[i % 3]};
    int32_t end = 0;
    for (int32_t g = 0; g < s.groups; g++) {
      end += (int32_t)et_test_below((size_t)(s.rows - end) + 1);
      s.ends[g] = et_test_below(4) == 0 ? s.ends[g > 0 ? g - 1 : 0] : end;
      end = s.ends[g];
    }
    check_grouped(&s, i % 2 == 0);
  }
}

/* Covers one row per group (as in decoding), empty groups, no rows, and rows without a group. */
static void test_edge_cases_of_groups(void **state) {
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    const shape shapes[] = {{2, 64, 160, 4, WEIGHTS[i], {0, 1, 1, 2}},
                            {0, 8, 20, 2, WEIGHTS[i], {0, 0}},
                            {5, 8, 20, 2, WEIGHTS[i], {0, 0}},
                            {5, 0, 20, 2, WEIGHTS[i], {1, 3}},
                            {5, 8, 20, 0, WEIGHTS[i], {0}},
                            {1030, 9, 33, 2, WEIGHTS[i], {7, 1030}}};
    for (size_t k = 0; k < sizeof(shapes) / sizeof(shapes[0]); k++) {
      check_grouped(&shapes[k], k % 2 == 0);
    }
  }
}

/* If group ends are invalid, the call fails. It writes nothing and reads no rows out of bounds. */
static void test_fails_if_group_ends_are_invalid(void **state) {
  (void)state;
  const int64_t bad[][2] = {{-1, 5},         {6, 5},         {3, 2},
                            {0, 6},          {0, INT64_MAX}, {INT64_MIN, 5},
                            {INT64_MAX, -1}, {5, 4}};
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    const shape s = {5, 8, 20, 2, WEIGHTS[i % 3], {0, 5}};
    et_test_op test;
    et_error error = {0};
    et_cpu_fault fault = {ET_STATUS_OK, &error};
    const et_cpu_run run = {.isa = et_test_isa(), .fault = &fault};
    make(&test, &s, true);
    memcpy(test.tensors[3].data, bad[i], sizeof(bad[i]));
    memset(test.tensors[4].data, 7, test.tensors[4].bytes);
    test.op.type->run(&test.op, &run);
    assert_int_equal(fault.status, ET_STATUS_INVALID_ARGUMENT);
    assert_non_null(strstr(error.message, ": group "));
    for (size_t k = 0; k < test.tensors[4].bytes; k++) {
      assert_int_equal(((const uint8_t *)test.tensors[4].data)[k], 7);
    }
    et_test_end(&test);
  }
}

static void refuse(int tensor, int dim, int32_t size, const char *message) {
  const shape s = {5, 8, 20, 2, F32, {0, 5}};
  et_test_op test;
  make(&test, &s, true);
  test.tensors[tensor].sizes[dim] = size;
  et_test_refused(&test, message);
  et_test_end(&test);
}

static void test_rejects_invalid_ops(void **state) {
  (void)state;
  refuse(0, 0, 4, "grouped_gemm_f32: tensor 4, dim 0 is 5, expected 4");
  refuse(0, 1, 9, "grouped_gemm_f32: tensor 1, dim 2 is 8, expected 9");
  refuse(1, 0, 1, "grouped_gemm_f32: tensor 1, dim 0 is 1, expected 2");
  refuse(1, 3, 8, "grouped_gemm_f32: tensor 1, dim 3 is 8, expected 16");
  refuse(3, 0, 3, "grouped_gemm_f32: tensor 1, dim 0 is 2, expected 3");
  refuse(4, 1, 33, "grouped_gemm_f32: tensor 1, dim 1 is 2, expected 3");
  const shape s = {5, 8, 20, 2, ET_SCALAR_TYPE_BFLOAT16, {0, 5}};
  et_test_op test;
  make(&test, &s, false);
  test.tensors[3].dtype = F32;
  et_test_refused(
      &test,
      "grouped_gemm_f32_f16w: tensor 3 is float32, expected int32 or int64");
  test.tensors[3].dtype = ET_SCALAR_TYPE_INT32;
  test.tensors[3].rank = 0;
  et_test_refused(&test,
                  "grouped_gemm_f32_f16w: tensor 3 has 0 dims, expected 1");
  test.tensors[3].rank = 1;
  test.tensors[1].dtype = F32;
  et_test_refused(
      &test, "grouped_gemm_f32_f16w: tensor 1 is float32, expected float16");
  test.tensors[1].dtype = ET_SCALAR_TYPE_FLOAT16;
  test.tensors[2].numel = 20;
  et_test_refused(&test, "grouped_gemm_f32_f16w: tensor 2 has 20 elements");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_groups_of_random_shapes),
      cmocka_unit_test(test_edge_cases_of_groups),
      cmocka_unit_test(test_fails_if_group_ends_are_invalid),
      cmocka_unit_test(test_rejects_invalid_ops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
