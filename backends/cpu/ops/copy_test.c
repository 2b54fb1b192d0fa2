#include "backends/cpu/schema/copy.h"
#include "backends/cpu/ops/testing.h"
#include "backends/cpu/schema/op_codes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define F32 ET_SCALAR_TYPE_FLOAT32
#define MAX_FIELD 48

/* One or two inputs of sizes x, read from position `from` with strides `by`. */
typedef struct shape {
  uint8_t rank;
  int32_t x[4], y[4], from[4], to[4], by[4];
  int32_t second[4]; /* position of the second input, or -1 */
  bool fills;
} shape;

static int32_t numbers[MAX_FIELD];
static const int32_t *dims[MAX_FIELD];

static void add_dim(et_test_op *test, int32_t value) {
  const uint16_t at = test->op.dim_count++;
  numbers[at] = value;
  dims[at] = &numbers[at];
  test->op.dims = dims;
}

static size_t inputs_of(const shape *s) { return s->second[0] < 0 ? 1 : 2; }

static void make(et_test_op *test, const shape *s) {
  et_test_begin(test, &et_cpu_op_copy);
  for (size_t i = 0; i < inputs_of(s); i++) {
    et_test_input(test, F32, s->rank, s->x);
  }
  et_test_output(test, F32, s->rank, s->y);
  et_test_int(test, s->fills);
  et_test_float(test, 0.5f);
  for (size_t i = 0; i < inputs_of(s); i++) {
    for (uint8_t d = 0; d < s->rank; d++) {
      et_test_int(test, s->by[d]);
      add_dim(test, s->from[d]);
      add_dim(test, i == 0 ? s->to[d] : s->second[d]);
    }
  }
}

/* Returns the index in the input of output element `index`, or -1 if the input, which is copied to
 * `to`, does not contain it. */
static int64_t source(const shape *s, const int32_t *to, int64_t index) {
  int64_t from = 0;
  int64_t stride = 1;
  for (int d = s->rank; d-- > 0;) {
    const int64_t at = index % s->y[d] - to[d];
    const int64_t x = s->from[d] + at * s->by[d];
    if (at < 0 || x < 0 || x >= s->x[d]) {
      return -1;
    }
    from += x * stride;
    stride *= s->x[d];
    index /= s->y[d];
  }
  return from;
}

static double element(const et_test_op *test, const shape *s, size_t index) {
  for (size_t i = inputs_of(s); i-- > 0;) {
    const int64_t at = source(s, i == 0 ? s->to : s->second, (int64_t)index);
    if (at >= 0) {
      return (double)((const float *)test->tensors[i].data)[at];
    }
  }
  return s->fills ? 0.5 : 0.0;
}

static void check_copy(const shape *s) {
  et_test_op test;
  make(&test, s);
  const size_t count = et_test_result(&test)->numel;
  double *expected = calloc(2 * count + 1, sizeof(double));
  assert_non_null(expected);
  for (size_t i = 0; i < count; i++) {
    expected[i] = element(&test, s, i);
  }
  et_test_run(&test, expected, expected + count);
  free(expected);
  et_test_end(&test);
}

static void test_copies_a_slice(void **state) {
  (void)state;
  const shape s = {.rank = 3,
                   .x = {5, 9, 7},
                   .y = {5, 4, 7},
                   .from = {0, 1, 0},
                   .by = {1, 2, 1},
                   .second = {-1}};
  check_copy(&s);
}

static void test_concatenates_two_inputs(void **state) {
  (void)state;
  const shape rows = {.rank = 3,
                      .x = {50, 3, 4},
                      .y = {50, 6, 4},
                      .by = {1, 1, 1},
                      .second = {0, 3, 0}};
  const shape columns = {
      .rank = 2, .x = {90, 3}, .y = {90, 6}, .by = {1, 1}, .second = {0, 3}};
  check_copy(&rows);
  check_copy(&columns);
}

static void test_pads_with_a_value(void **state) {
  (void)state;
  const shape s = {.rank = 2,
                   .x = {3, 5},
                   .y = {7, 6},
                   .from = {0, 2},
                   .to = {2, 1},
                   .by = {1, 1},
                   .second = {-1},
                   .fills = true};
  check_copy(&s);
}

static void test_flips_and_expands(void **state) {
  (void)state;
  const shape flip = {.rank = 2,
                      .x = {3, 5},
                      .y = {3, 5},
                      .from = {2, 4},
                      .by = {-1, -1},
                      .second = {-1}};
  const shape expand = {.rank = 3,
                        .x = {2, 1, 1},
                        .y = {2, 70, 5},
                        .by = {1, 0, 0},
                        .second = {-1}};
  check_copy(&flip);
  check_copy(&expand);
}

static void test_copies_a_scalar(void **state) {
  (void)state;
  const shape s = {.rank = 0, .second = {-1}};
  check_copy(&s);
}

/* Sanitizers detect accesses outside the tensors. */
static void test_regions_are_clipped_to_the_tensors(void **state) {
  (void)state;
  for (int i = 0; i < 2000; i++) {
    shape s = {.rank = 2, .second = {-1}, .fills = true};
    for (int d = 0; d < 2; d++) {
      s.x[d] = (int32_t)et_test_below(5);
      s.y[d] = (int32_t)et_test_below(5);
      s.from[d] = (int32_t)et_test_below(9) - 2;
      s.to[d] = (int32_t)et_test_below(9) - 2;
      s.by[d] = (int32_t)et_test_below(7) - 3;
    }
    et_test_op test;
    make(&test, &s);
    const et_cpu_run run = {.isa = ET_CPU_PLAIN};
    et_error error = {0};
    assert_int_equal(et_test_check(&test, &error), ET_STATUS_OK);
    test.op.type->run(&test.op, &run);
    et_test_end(&test);
  }
}

/* The strides of empty inputs can exceed 2^63. UBSan detects overflow. */
static void test_empty_inputs_of_huge_sizes_are_skipped(void **state) {
  (void)state;
  const shape s = {.rank = 4,
                   .x = {0, INT32_MAX, INT32_MAX, INT32_MAX},
                   .y = {1, 2, 2, 3},
                   .from = {0, 1, 1, 1},
                   .by = {2, INT32_MAX, 1, INT32_MIN},
                   .second = {-1},
                   .fills = true};
  const et_cpu_run run = {.isa = ET_CPU_PLAIN};
  et_test_op test;
  make(&test, &s);
  test.op.type->run(&test.op, &run);
  const et_cpu_tensor *y = et_test_result(&test);
  for (size_t i = 0; i < y->numel; i++) {
    assert_true(((const float *)y->data)[i] == 0.5f);
  }
  et_test_end(&test);
}

/* With 32-bit sizes, a stride times the elements of a row can overflow. */
static void test_strides_beyond_the_input_select_one_element(void **state) {
  (void)state;
  const shape s = {.rank = 2,
                   .x = {3, 64},
                   .y = {3, 64},
                   .from = {1, 2},
                   .by = {INT32_MAX, INT32_MIN},
                   .second = {-1},
                   .fills = true};
  check_copy(&s);
}

static shape random_shape(void) {
  shape s = {.rank = 2, .second = {(int32_t)et_test_below(6) - 1}};
  for (int d = 0; d < 2; d++) {
    s.x[d] = (int32_t)et_test_below(5);
    s.y[d] = (int32_t)et_test_below(5);
    s.from[d] = s.x[d] > 0 ? (int32_t)et_test_below((size_t)s.x[d]) : 0;
    s.to[d] = (int32_t)et_test_below(5);
    s.by[d] = (int32_t)et_test_below(5) - 2;
  }
  s.second[1] = s.second[0] < 0 ? 0 : (int32_t)et_test_below(5);
  return s;
}

static void test_copy_zeroes_elements_without_a_source(void **state) {
  (void)state;
  for (int i = 0; i < 20000; i++) {
    const shape s = random_shape();
    const et_cpu_run run = {.isa = ET_CPU_PLAIN};
    et_test_op test;
    make(&test, &s);
    const et_cpu_tensor *y = et_test_result(&test);
    if (y->bytes > 0) {
      memset(y->data, 0x55, y->bytes);
    }
    test.op.type->run(&test.op, &run);
    for (size_t k = 0; k < y->numel; k++) {
      assert_true(((const float *)y->data)[k] == element(&test, &s, k));
    }
    et_test_end(&test);
  }
}

static void test_rejects_regions_of_wrong_rank(void **state) {
  (void)state;
  const shape s = {
      .rank = 2, .x = {3, 5}, .y = {3, 5}, .by = {1, 1}, .second = {-1}};
  et_test_op test;
  make(&test, &s);
  test.op.dim_count = 3;
  et_test_refused(&test, "copy: 3 dims, expected 4");
  test.op.dim_count = 4;
  test.op.attribute_count = 5;
  et_test_refused(&test, "copy: 3 strides, expected 2");
  test.op.attribute_count = 4;
  test.op.attribute_count = 1;
  et_test_refused(&test, "copy: 1 attributes, expected 2");
  test.op.attribute_count = 4;
  test.tensors[0].rank = 1;
  et_test_refused(&test, "copy: tensor 0 has 1 dims, expected 2");
  test.tensors[0].rank = 2;
  test.attributes[0] = 2;
  et_test_refused(&test, "copy: attribute 0 is 2, expected 0 to 1");
  test.attributes[0] = 1;
  test.tensors[0].dtype = ET_SCALAR_TYPE_INT32;
  et_test_refused(&test, "copy: tensor 0 is int32, expected float32");
  test.tensors[1].dtype = ET_SCALAR_TYPE_INT32;
  et_test_refused(&test, "copy: fill is not supported for dtype int32");
  et_test_end(&test);
}

static void test_rejects_a_copy_without_output(void **state) {
  (void)state;
  const int32_t sizes[1] = {3};
  et_test_op test;
  et_test_begin(&test, &et_cpu_op_copy);
  et_test_input(&test, ET_SCALAR_TYPE_FLOAT32, 1, sizes);
  et_test_refused(&test, "copy: 0 outputs, expected 1");
  et_test_end(&test);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_copies_a_slice),
      cmocka_unit_test(test_concatenates_two_inputs),
      cmocka_unit_test(test_pads_with_a_value),
      cmocka_unit_test(test_flips_and_expands),
      cmocka_unit_test(test_copies_a_scalar),
      cmocka_unit_test(test_regions_are_clipped_to_the_tensors),
      cmocka_unit_test(test_empty_inputs_of_huge_sizes_are_skipped),
      cmocka_unit_test(test_strides_beyond_the_input_select_one_element),
      cmocka_unit_test(test_copy_zeroes_elements_without_a_source),
      cmocka_unit_test(test_rejects_regions_of_wrong_rank),
      cmocka_unit_test(test_rejects_a_copy_without_output),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
