/* Tests kernel selection by dtype, rank, dim order and dtype groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "executorch/method.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

#define FLOATS (1u << ET_SCALAR_TYPE_FLOAT32)
#define INTS (1u << ET_SCALAR_TYPE_INT32)
#define TRUTHS (1u << ET_SCALAR_TYPE_BOOL)

static et_program_writer writer;

static et_status do_nothing(et_kernel_context *context, et_value **args) {
  (void)context;
  (void)args;
  return ET_STATUS_OK;
}

/* Scratch sizes, which identify the rows. */
enum { FLAT = 64, AGREEING = 128, LISTING = 192, LAST = 256 };

static const et_tensor_rule flat[] = {{FLOATS, 1, 1, ET_LAYOUT_ANY, 0},
                                      {FLOATS, 1, 1, ET_LAYOUT_ANY, 0},
                                      {FLOATS, 1, 1, ET_LAYOUT_ANY, 0}};
static const et_tensor_rule agreeing[] = {
    {FLOATS | INTS, 0, 4, ET_LAYOUT_CONTIGUOUS, 1},
    {FLOATS | INTS, 0, 4, ET_LAYOUT_ANY, 0},
    {FLOATS | INTS, 0, 4, ET_LAYOUT_ANY, 1}};
static const et_tensor_rule listing[] = {{FLOATS, 0, 16, ET_LAYOUT_ANY, 0},
                                         {FLOATS, 0, 16, ET_LAYOUT_ANY, 0}};
static const et_tensor_rule last[] = {
    {FLOATS, 3, 5, ET_LAYOUT_CHANNELS_LAST, 0}};
static const et_tensor_rule any_rank[] = {
    {FLOATS, 0, 16, ET_LAYOUT_CHANNELS_LAST, 0}};
static const et_tensor_rule in_order[] = {
    {FLOATS, 0, 16, ET_LAYOUT_CONTIGUOUS, 0}};
static const et_tensor_rule any_order[] = {{FLOATS, 0, 16, ET_LAYOUT_ANY, 0}};
static const et_tensor_rule wild[] = {
    {FLOATS, 0, 16, ET_LAYOUT_ANY, ET_TENSOR_GROUPS}};

static const et_kernel rows[] = {
    {"test::add.out", "ttw>w", flat, do_nothing, NULL, FLAT},
    {"test::add.out", "ttw>w", agreeing, do_nothing, NULL, AGREEING},
    {"test::any_order.out", "t", any_order, do_nothing, NULL, FLAT},
    {"test::any_rank.out", "t", any_rank, do_nothing, NULL, LAST},
    {"test::in_order.out", "t", in_order, do_nothing, NULL, FLAT},
    {"test::last.out", "t", last, do_nothing, NULL, LAST},
    {"test::list.out", "Ow>w", listing, do_nothing, NULL, LISTING},
    {"test::wild.out", "t", wild, do_nothing, NULL, LAST},
};
static const et_kernel_table table = {rows, sizeof rows / sizeof *rows};
static const et_registry registry = {.kernels = &table};

/* Returns the scratch size of the only call, or an error. */
static et_status measure(size_t *out_scratch, et_error *error) {
  et_program program;
  et_method_requirements needed = {0};
  et_error_clear(error);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  const et_status status =
      et_method_measure(&program, "forward", &registry, NULL, &needed, error);
  *out_scratch = needed.scratch_bytes;
  return status;
}

static void expect_scratch(size_t expected) {
  et_error error;
  size_t scratch = 0;
  assert_int_equal(measure(&scratch, &error), ET_STATUS_OK);
  assert_int_equal(scratch, expected);
}

static void expect_refused(const char *message) {
  et_error error;
  char expected[ET_ERROR_MESSAGE_BYTES];
  size_t scratch = 0;
  assert_int_equal(measure(&scratch, &error), ET_STATUS_INVALID_PROGRAM);
  snprintf(expected, sizeof expected, "%s" ET_TEST_EXPORT_AGAIN, message);
  assert_string_equal(error.message, expected);
}

/* Writes out = add(self, other) with rank 1. */
static void write_add(et_scalar_type self, et_scalar_type other,
                      et_scalar_type out) {
  et_writer_start(&writer, 256);
  const int32_t a = et_writer_tensor(&writer, self, 4, 0);
  const int32_t b = et_writer_tensor(&writer, other, 4, 64);
  const int32_t c = et_writer_tensor(&writer, out, 4, 128);
  const int32_t args[4] = {a, b, c, c};
  et_writer_call(&writer, "add", args, 4);
}

static void test_absent_value_for_a_required_tensor_is_refused(void **state) {
  (void)state;
  et_writer_start(&writer, 256);
  const int32_t a = et_writer_none(&writer);
  const int32_t b = et_writer_tensor(&writer, ET_SCALAR_TYPE_FLOAT32, 4, 64);
  const int32_t args[4] = {a, b, b, b};
  et_writer_call(&writer, "add", args, 4);
  expect_refused(
      "instructions[0] test::add.out: args[0] is None, expected Tensor");
}

static void test_first_matching_kernel_row_is_chosen(void **state) {
  (void)state;
  write_add(ET_SCALAR_TYPE_FLOAT32, ET_SCALAR_TYPE_FLOAT32,
            ET_SCALAR_TYPE_FLOAT32);
  expect_scratch(FLAT);
  write_add(ET_SCALAR_TYPE_INT32, ET_SCALAR_TYPE_FLOAT32, ET_SCALAR_TYPE_INT32);
  expect_scratch(AGREEING);
}

static void test_kernel_choice_checks_every_dtype(void **state) {
  (void)state;
  write_add(ET_SCALAR_TYPE_INT32, ET_SCALAR_TYPE_UINT16, ET_SCALAR_TYPE_INT32);
  expect_refused(
      "instructions[0] test::add.out: no linked kernel supports args[1] "
      "(uint16, rank 1, dim order (0))");
  write_add(ET_SCALAR_TYPE_INT32, ET_SCALAR_TYPE_INT32, ET_SCALAR_TYPE_UINT64);
  expect_refused(
      "instructions[0] test::add.out: no linked kernel supports args[2] "
      "(uint64, rank 1, dim order (0))");
}

static void test_tensors_of_a_group_must_match(void **state) {
  (void)state;
  write_add(ET_SCALAR_TYPE_INT32, ET_SCALAR_TYPE_INT32, ET_SCALAR_TYPE_FLOAT32);
  expect_refused(
      "instructions[0] test::add.out: no linked kernel supports args[2] "
      "(float32, rank 1, dim order (0))");
}

static void test_kernel_choice_checks_list_items(void **state) {
  (void)state;
  for (int wrong = 0; wrong < 2; wrong++) {
    et_writer_start(&writer, 256);
    const et_scalar_type dtype =
        wrong ? ET_SCALAR_TYPE_FLOAT64 : ET_SCALAR_TYPE_FLOAT32;
    const int32_t a = et_writer_floats(&writer, 4, 0);
    const int32_t b = et_writer_tensor(&writer, dtype, 4, 64);
    const int32_t out = et_writer_floats(&writer, 4, 128);
    const int32_t items[3] = {a, -1, b};
    const int32_t list =
        et_writer_tensor_list(&writer, items, 3, ET_VALUE_OPTIONAL_TENSOR_LIST);
    const int32_t args[3] = {list, out, out};
    et_writer_call(&writer, "list", args, 3);
    if (wrong) {
      expect_refused(
          "instructions[0] test::list.out: no linked kernel supports args[0] "
          "(float64, rank 1, dim order (0))");
    } else {
      expect_scratch(LISTING);
    }
  }
}

/* Adds a float32 tensor with one element and this rank and dim order. */
static int32_t write_shaped(const uint8_t *order, uint32_t rank) {
  const int32_t index = et_writer_floats(&writer, 1, 0);
  const size_t tensor = writer.last_table;
  const int32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_SIZES,
              et_fb_add_vector(&writer.buffer, ones, rank, sizeof *ones));
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_DIM_ORDER,
              et_fb_add_vector(&writer.buffer, order, rank, 1));
  return index;
}

static void write_one(const char *name, const uint8_t *order, uint32_t rank) {
  et_writer_start(&writer, 256);
  const int32_t arg = write_shaped(order, rank);
  et_writer_call(&writer, name, &arg, 1);
}

static void write_last(const uint8_t *order, uint32_t rank) {
  write_one("last", order, rank);
}

static void test_kernel_choice_checks_rank_and_dim_order(void **state) {
  (void)state;
  write_last((const uint8_t[]){0, 2, 1}, 3);
  expect_scratch(LAST);
  write_last((const uint8_t[]){0, 2, 3, 4, 1}, 5);
  expect_scratch(LAST);
  write_last((const uint8_t[]){0, 1, 2, 3}, 4);
  expect_refused(
      "instructions[0] test::last.out: no linked kernel supports args[0] "
      "(float32, rank 4, dim order (0,1,2,3))");
  write_last((const uint8_t[]){0, 3, 2, 1}, 4);
  expect_refused(
      "instructions[0] test::last.out: no linked kernel supports args[0] "
      "(float32, rank 4, dim order (0,3,2,1))");
  write_last((const uint8_t[]){0, 1}, 2);
  expect_refused(
      "instructions[0] test::last.out: no linked kernel supports args[0] "
      "(float32, rank 2, dim order (0,1))");
  write_last((const uint8_t[]){0, 2, 3, 4, 5, 1}, 6);
  expect_refused(
      "instructions[0] test::last.out: no linked kernel supports args[0] "
      "(float32, rank 6, dim order (0,2,3,4,5,1))");
}

static void test_kernel_may_accept_any_dim_order(void **state) {
  (void)state;
  const uint8_t straight[3] = {0, 1, 2};
  const uint8_t swapped[3] = {0, 2, 1};
  write_one("any_order", swapped, 3);
  expect_scratch(FLAT);
  write_one("in_order", straight, 3);
  expect_scratch(FLAT);
  write_one("in_order", swapped, 3);
  expect_refused(
      "instructions[0] test::in_order.out: no linked kernel supports args[0] "
      "(float32, rank 3, dim order (0,2,1))");
}

static void test_channels_last_needs_three_dims(void **state) {
  (void)state;
  const uint8_t order[3] = {0, 1, 2};
  const uint8_t channels_last[3] = {0, 2, 1};
  write_one("any_rank", channels_last, 3);
  expect_scratch(LAST);
  write_one("any_rank", order, 2);
  expect_refused(
      "instructions[0] test::any_rank.out: no linked kernel supports args[0] "
      "(float32, rank 2, dim order (0,1))");
  write_one("any_rank", order, 0);
  expect_refused(
      "instructions[0] test::any_rank.out: no linked kernel supports args[0] "
      "(float32, rank 0, dim order ())");
}

static void test_row_with_an_empty_group_matches_nothing(void **state) {
  (void)state;
  write_one("wild", (const uint8_t[]){0}, 1);
  expect_refused(
      "instructions[0] test::wild.out: no linked kernel supports args[0] "
      "(float32, rank 1, dim order (0))");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_absent_value_for_a_required_tensor_is_refused),
      cmocka_unit_test(test_first_matching_kernel_row_is_chosen),
      cmocka_unit_test(test_kernel_choice_checks_every_dtype),
      cmocka_unit_test(test_tensors_of_a_group_must_match),
      cmocka_unit_test(test_kernel_choice_checks_list_items),
      cmocka_unit_test(test_kernel_choice_checks_rank_and_dim_order),
      cmocka_unit_test(test_kernel_may_accept_any_dim_order),
      cmocka_unit_test(test_channels_last_needs_three_dims),
      cmocka_unit_test(test_row_with_an_empty_group_matches_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
