/* Tests conditions over sizes and ints of inputs: calls are checked, invalid
 * lists are rejected. */
#include "executorch/method.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof *(list)))

static et_program_writer writer;

static const float ONES[8] = {1, 1, 1, 1, 1, 1, 1, 1};

/* Two sizes from 0 to 8 and an int from -9 to 9. */
static const int64_t RANGES[] = {0, 0, 0, 8, 1,  0,  1, 0, 0,
                                 8, 1, 1, 2, -1, -9, 9, 1, 2};

static size_t add_numbers(const int64_t *numbers, uint32_t count) {
  return et_fb_add_vector(&writer.buffer, numbers, count, sizeof *numbers);
}

/* Values 0 and 1 are inputs of at most 8 floats. Value 2 is an int that fills
 * output 3. */
static void write_program(const int64_t *conditions, uint32_t count,
                          const char *texts) {
  et_writer_start(&writer, 128);
  for (int32_t i = 0; i < 2; i++) {
    const int32_t floats = et_writer_floats(&writer, 8, 32 * i);
    et_fb_set_i8(&writer.buffer, writer.last_table, ET_TENSOR_DYNAMISM, 1);
    et_writer_input(&writer, floats);
  }
  et_writer_input(&writer, et_writer_int(&writer, 0));
  const int32_t out = et_writer_floats(&writer, 2, 64);
  const int32_t fill[] = {2, out, out};
  et_writer_call(&writer, "fill", fill, 3);
  et_writer_output(&writer, out);
  et_fb_writer *buffer = &writer.buffer;
  const size_t container = et_fb_add_table(buffer, 7);
  et_fb_refer(buffer, writer.plan, ET_PLAN_CONTAINER_META, container);
  et_fb_refer(buffer, container, ET_CONTAINER_RANGES,
              add_numbers(RANGES, COUNT(RANGES)));
  et_fb_refer(buffer, container, ET_CONTAINER_CONDITIONS,
              add_numbers(conditions, count));
  if (texts != NULL) {
    et_fb_refer(buffer, container, ET_CONTAINER_CONDITION_TEXTS,
                et_fb_add_text(buffer, texts));
  }
}

static et_status run(et_method *method, int32_t a, int32_t b, int64_t number,
                     et_error *error) {
  const int32_t sizes[] = {a, b};
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(
        et_method_set_input(method, i, ET_SCALAR_TYPE_FLOAT32, &sizes[i], 1,
                            ONES, (size_t)sizes[i] * sizeof(float), NULL),
        ET_STATUS_OK);
  }
  et_value value = {ET_VALUE_INT, {0}};
  value.u.as_int = number;
  assert_int_equal(et_method_set_scalar_input(method, 2, &value, NULL),
                   ET_STATUS_OK);
  et_error_clear(error);
  return et_method_execute(method, error);
}

/* Tokens of the format (schema/program.fbs). */
enum {
  CONSTANT,
  SIZE,
  ADD,
  MULTIPLY,
  FLOOR_DIVIDE,
  MODULO,
  MIN,
  MAX,
  EQUAL,
  NOT_EQUAL,
  LESS,
  LESS_OR_EQUAL,
  AND,
  OR
};

static void test_false_condition_fails_and_states_the_sizes(void **state) {
  (void)state;
  static const int64_t list[] = {
      9,   SIZE, 0, 0, CONSTANT, 4, MODULO, CONSTANT, 0, EQUAL, /* x % 4 == 0 */
      11,  SIZE, 1, 0, SIZE,     0, 0,      SIZE,     2, -1,
      ADD, EQUAL}; /* y == x + n */
  write_program(list, COUNT(list), "x % 4 == 0\ny == x + n");
  et_program program;
  et_hosted_method hosted;
  et_error error;
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(run(hosted.method, 4, 6, 2, &error), ET_STATUS_OK);
  assert_int_equal(run(hosted.method, 8, 6, -2, &error), ET_STATUS_OK);
  assert_int_equal(run(hosted.method, 3, 6, 3, &error),
                   ET_STATUS_NOT_SUPPORTED);
  assert_string_equal(error.message,
                      "the program requires x % 4 == 0, but dim 0 of inputs[0] "
                      "is 3; pass sizes that satisfy it");
  assert_int_equal(run(hosted.method, 4, 6, 3, &error),
                   ET_STATUS_NOT_SUPPORTED);
  assert_string_equal(error.message,
                      "the program requires y == x + n, but dim 0 of inputs[1] "
                      "is 6, dim 0 of inputs[0] is 4, inputs[2] is 3; pass "
                      "sizes that satisfy it");
  et_hosted_method_free(&hosted);
}

static void test_message_names_a_size_once_and_needs_no_text(void **state) {
  (void)state;
  /* x + x < x * 1 is false for each size. */
  static const int64_t list[] = {
      14, SIZE, 0, 0, SIZE, 0, 0, ADD, SIZE, 0, 0, CONSTANT, 1, MULTIPLY, LESS};
  write_program(list, COUNT(list), NULL);
  et_program program;
  et_hosted_method hosted;
  et_error error;
  et_test_open(&writer, &program, &hosted);
  assert_int_equal(run(hosted.method, 5, 6, 3, &error),
                   ET_STATUS_NOT_SUPPORTED);
  assert_string_equal(
      error.message,
      "the program requires a condition, but dim 0 of inputs[0] is 5; "
      "pass sizes that satisfy it");
  et_hosted_method_free(&hosted);
}

/* Returns the status of a run whose condition is `left token right == result`,
 * where left is the int input. */
static et_status compute(int64_t token, int64_t left, int64_t right,
                         int64_t result) {
  const int64_t list[] = {9,     SIZE,  2,        -1,     CONSTANT,
                          right, token, CONSTANT, result, EQUAL};
  write_program(list, COUNT(list), "n");
  et_program program;
  et_hosted_method hosted;
  et_error error;
  et_test_open(&writer, &program, &hosted);
  const et_status status = run(hosted.method, 1, 1, left, &error);
  et_hosted_method_free(&hosted);
  return status;
}

static void test_tokens_compute_like_python(void **state) {
  (void)state;
  static const int64_t results[][4] = {
      {ADD, 3, -5, -2},
      {MULTIPLY, -3, 5, -15},
      {MULTIPLY, -3, -5, 15},
      {MULTIPLY, 0, INT64_MIN, 0},
      {FLOOR_DIVIDE, 7, 2, 3},
      {FLOOR_DIVIDE, -7, 2, -4},
      {FLOOR_DIVIDE, 7, -2, -4},
      {FLOOR_DIVIDE, -8, 2, -4},
      {MODULO, 7, 4, 3},
      {MODULO, -7, 4, 1},
      {MODULO, 7, -4, -1},
      {MODULO, -8, 4, 0},
      {MIN, 3, 5, 3},
      {MIN, 6, 5, 5},
      {MAX, 3, 5, 5},
      {MAX, 6, 5, 6},
      {EQUAL, 3, 3, 1},
      {EQUAL, 3, 4, 0},
      {NOT_EQUAL, 3, 4, 1},
      {NOT_EQUAL, 3, 3, 0},
      {LESS, 3, 4, 1},
      {LESS, 4, 4, 0},
      {LESS_OR_EQUAL, 4, 4, 1},
      {LESS_OR_EQUAL, 5, 4, 0},
      {AND, 5, 4, 1},
      {AND, 5, 0, 0},
      {AND, 0, 5, 0},
      {OR, 0, 5, 1},
      {OR, 5, 0, 1},
      {OR, 0, 0, 0},
  };
  for (size_t i = 0; i < COUNT(results); i++) {
    const int64_t *r = results[i];
    assert_int_equal(compute(r[0], r[1], r[2], r[3]), ET_STATUS_OK);
    assert_int_equal(compute(r[0], r[1], r[2], r[3] + 1),
                     ET_STATUS_NOT_SUPPORTED);
  }
}

static void test_undefined_results_are_false(void **state) {
  (void)state;
  static const int64_t operations[][3] = {
      {ADD, 1, INT64_MAX},       {ADD, -1, INT64_MIN}, {MULTIPLY, 2, INT64_MAX},
      {MULTIPLY, -1, INT64_MIN}, {FLOOR_DIVIDE, 7, 0}, {MODULO, 7, 0},
  };
  for (size_t i = 0; i < COUNT(operations); i++) {
    const int64_t *o = operations[i];
    /* True if the operation has a result. */
    const int64_t list[] = {9,    SIZE, 2,        -1, CONSTANT,
                            o[2], o[0], CONSTANT, 1,  OR};
    write_program(list, COUNT(list), "n");
    et_program program;
    et_hosted_method hosted;
    et_error error;
    et_test_open(&writer, &program, &hosted);
    assert_int_equal(run(hosted.method, 1, 1, o[1], &error),
                     ET_STATUS_NOT_SUPPORTED);
    et_hosted_method_free(&hosted);
  }
}

static void expect_refused(const int64_t *conditions, uint32_t count,
                           const char *place) {
  write_program(conditions, count, "n");
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM, place);
}

static void test_malformed_conditions_are_refused(void **state) {
  (void)state;
  static const int64_t lists[][6] = {
      {0, 0, 0, 0, 0, 0},                    /* no tokens */
      {-1, CONSTANT, 1, 0, 0, 0},            /* negative count */
      {6, CONSTANT, 1, CONSTANT, 1, AND},    /* more tokens than numbers */
      {3, ADD, CONSTANT, 1, 0, 0},           /* no operands */
      {5, CONSTANT, 1, CONSTANT, 1, OR + 1}, /* unknown token */
      {5, CONSTANT, 1, CONSTANT, 1, -1},     /* unknown token */
      {5, CONSTANT, 1, ADD, CONSTANT, 1},    /* one operand */
      {4, CONSTANT, 1, CONSTANT, 1, 0},      /* two results */
      {3, SIZE, 0, 1, 0, 0},                 /* no such dim */
      {3, SIZE, 0, -1, 0, 0},                /* a tensor is not an int */
      {3, SIZE, 2, 0, 0, 0},                 /* an int has no dims */
      {3, SIZE, 3, 0, 0, 0},                 /* an output */
      {3, SIZE, -1, 0, 0, 0},                /* no such value */
      {3, SIZE, INT64_MAX, 0, 0, 0},         /* no such value */
  };
  for (size_t i = 0; i < COUNT(lists); i++) {
    expect_refused(lists[i], 6, "conditions[0]");
  }
  int64_t deep[] = {34, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0,
                    1,  0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  expect_refused(deep, COUNT(deep), "conditions[0]");
  static const int64_t second[] = {2, CONSTANT, 1, 2, CONSTANT, 1, 1, OR};
  expect_refused(second, COUNT(second), "conditions[6]");
}

static void test_registry_without_conditions_is_refused(void **state) {
  (void)state;
  static const int64_t list[] = {2, CONSTANT, 1};
  et_registry registry = et_test_registry;
  registry.ranges = &et_ranges;
  write_program(list, COUNT(list), "n");
  et_test_expect_part_missing(
      et_writer_finish(&writer), &registry,
      "the inputs have conditions; set registry.ranges to "
      "&et_ranges_and_conditions");
}

static void test_meta_has_the_texts(void **state) {
  (void)state;
  static const int64_t list[] = {2, CONSTANT, 1, 2, CONSTANT, 2};
  static const char *const texts[] = {"n > 1\nm > 1", NULL};
  for (size_t i = 0; i < 2; i++) {
    et_program program;
    et_method_meta meta;
    write_program(list, COUNT(list), texts[i]);
    assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                     ET_STATUS_OK);
    assert_int_equal(et_program_method_meta(&program, "forward", &meta, NULL),
                     ET_STATUS_OK);
    assert_string_equal(et_method_meta_conditions(&meta),
                        texts[i] != NULL ? texts[i] : "");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_false_condition_fails_and_states_the_sizes),
      cmocka_unit_test(test_message_names_a_size_once_and_needs_no_text),
      cmocka_unit_test(test_tokens_compute_like_python),
      cmocka_unit_test(test_undefined_results_are_false),
      cmocka_unit_test(test_malformed_conditions_are_refused),
      cmocka_unit_test(test_registry_without_conditions_is_refused),
      cmocka_unit_test(test_meta_has_the_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
