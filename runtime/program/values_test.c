/* Tests indices, lists and tensors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "executorch/program.h"
#include "executorch/value.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;

static void expect_invalid(const char *part) {
  et_test_expect_refused(et_writer_finish(&writer), ET_STATUS_INVALID_PROGRAM,
                         part);
}

static const int32_t WILD[] = {-1, -2, INT32_MIN, 1000, INT32_MAX};
#define WILD_COUNT (sizeof WILD / sizeof *WILD)

static void test_input_and_output_indices_out_of_bounds_are_refused(
    void **state) {
  (void)state;
  for (size_t i = 0; i < WILD_COUNT; i++) {
    et_test_write_copy(&writer, 4);
    et_writer_input(&writer, WILD[i]);
    expect_invalid("inputs[1] = ");
    et_test_write_copy(&writer, 4);
    et_writer_output(&writer, WILD[i]);
    expect_invalid("outputs[1] = ");
  }
  et_test_write_copy(&writer, 4);
  et_writer_input(&writer, (int32_t)writer.value_count);
  expect_invalid("inputs[1] = 2 is out of range for 2 values");
}

static void test_kernel_args_out_of_bounds_are_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < WILD_COUNT; i++) {
    for (uint32_t at = 0; at < 3; at++) {
      int32_t args[3] = {0, 0, 1};
      char part[64];
      args[at] = WILD[i];
      et_test_write_copy(&writer, 4);
      et_writer_call(&writer, "copy", args, 3);
      snprintf(part, sizeof part,
               "chains[0].instructions[1]: args[%u] = ", (unsigned)at);
      expect_invalid(part);
    }
  }
}

static void test_op_index_out_of_bounds_is_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < WILD_COUNT; i++) {
    et_test_write_copy(&writer, 4);
    et_writer_call_operator(&writer, WILD[i], NULL, 0);
    expect_invalid("op_index");
  }
}

static void test_move_jump_and_free_indices_out_of_bounds_are_refused(
    void **state) {
  (void)state;
  for (size_t i = 0; i < WILD_COUNT; i++) {
    et_test_write_copy(&writer, 4);
    et_writer_move(&writer, WILD[i], 1);
    expect_invalid("move_from");
    et_test_write_copy(&writer, 4);
    et_writer_move(&writer, 1, WILD[i]);
    expect_invalid("move_to");
    et_test_write_copy(&writer, 4);
    et_writer_jump_false(&writer, WILD[i], 0);
    expect_invalid("cond_value_index");
    et_test_write_copy(&writer, 4);
    et_writer_free(&writer, WILD[i]);
    expect_invalid("value_index");
  }
}

static void test_jump_out_of_the_chain_is_refused(void **state) {
  (void)state;
  const int32_t destinations[] = {-1, 3, INT32_MAX};
  for (size_t i = 0; i < 3; i++) {
    et_test_write_copy(&writer, 4);
    const int32_t condition = et_writer_bool(&writer, 1);
    et_writer_jump_false(&writer, condition, destinations[i]);
    expect_invalid("destination_instruction");
  }
}

static void test_delegate_call_without_delegates_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_writer_delegate(&writer, "TestBackend", "x", NULL, 0);
  const size_t none = et_fb_add_vector(&writer.buffer, NULL, 0, 4);
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_DELEGATES, none);
  expect_invalid("delegate_index 0 is out of range for 0 elements");
}

static void test_list_items_out_of_bounds_are_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < WILD_COUNT; i++) {
    const int64_t wide = WILD[i];
    et_test_write_copy(&writer, 4);
    et_writer_int_list(&writer, &wide, 1);
    expect_invalid("values[2].items[0] = ");
    et_test_write_copy(&writer, 4);
    et_writer_tensor_list(&writer, &WILD[i], 1, ET_VALUE_TENSOR_LIST);
    expect_invalid("values[2].items[0] = ");
  }
}

static void test_int_list_items_wider_than_32_bits_are_refused(void **state) {
  (void)state;
  const int64_t items[] = {INT64_C(1) << 32, INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < 3; i++) {
    et_test_write_copy(&writer, 4);
    et_writer_int_list(&writer, &items[i], 1);
    expect_invalid("values[2].items[0] = ");
  }
}

static void test_absent_item_is_allowed_only_where_optional(void **state) {
  (void)state;
  const int32_t absent = -1;
  et_error error;
  et_test_write_copy(&writer, 4);
  et_writer_tensor_list(&writer, &absent, 1, ET_VALUE_OPTIONAL_TENSOR_LIST);
  assert_int_equal(et_test_load(et_writer_finish(&writer), &error),
                   ET_STATUS_OK);
  et_test_write_copy(&writer, 4);
  et_writer_tensor_list(&writer, &absent, 1, ET_VALUE_TENSOR_LIST);
  expect_invalid("values[2].items[0] = -1");
}

static void test_lists_of_wrong_kinds_are_refused(void **state) {
  (void)state;
  const int32_t self = 2;
  const int64_t tensor = 0;
  const int32_t later = 3;
  et_test_write_copy(&writer, 4);
  et_writer_tensor_list(&writer, &self, 1, ET_VALUE_TENSOR_LIST);
  expect_invalid("values[2].items[0] is Tensor[], expected Tensor");
  et_test_write_copy(&writer, 4);
  et_writer_int_list(&writer, &tensor, 1);
  expect_invalid("values[2].items[0] is Tensor, expected int");
  et_test_write_copy(&writer, 4);
  et_writer_tensor_list(&writer, &later, 1, ET_VALUE_OPTIONAL_TENSOR_LIST);
  et_writer_int(&writer, 1);
  expect_invalid("values[2].items[0] is int, expected Tensor");
}

static void refer_sizes(const int32_t *sizes, uint32_t rank,
                        const uint8_t *order, uint32_t order_count) {
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 1, ET_NOT_PLANNED);
  const size_t tensor = writer.last_table;
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_SIZES,
              et_fb_add_vector(&writer.buffer, sizes, rank, sizeof *sizes));
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_DIM_ORDER,
              et_fb_add_vector(&writer.buffer, order, order_count, 1));
}

static void test_impossible_sizes_are_refused(void **state) {
  (void)state;
  const uint8_t order[4] = {0, 1, 2, 3};
  const int32_t negative[4] = {1, -1, 1, 1};
  const int32_t huge[4] = {1 << 30, 1 << 30, 1 << 30, 1 << 30};
  const int32_t bytes[4] = {INT32_MAX, INT32_MAX, 1, 1};
  refer_sizes(negative, 4, order, 4);
  expect_invalid("values[2]: sizes[1] = -1 is negative");
  refer_sizes(huge, 4, order, 4);
  expect_invalid("values[2]: the stride of dim");
  /* (2^31 - 1)^2 elements of 8 bytes need 65 bits. */
  refer_sizes(bytes, 4, order, 4);
  et_fb_set_i8(&writer.buffer, writer.last_table, ET_TENSOR_SCALAR_TYPE,
               ET_SCALAR_TYPE_FLOAT64);
  expect_invalid("values[2]: the tensor's size in bytes overflows");
}

static void test_impossible_dims_are_refused(void **state) {
  (void)state;
  const int32_t sizes[17] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  const uint8_t order[17] = {0, 1,  2,  3,  4,  5,  6,  7, 8,
                             9, 10, 11, 12, 13, 14, 15, 16};
  const uint8_t twice[2] = {1, 1};
  refer_sizes(sizes, 17, order, 17);
  expect_invalid("values[2]: 17 sizes exceed the limit of 16");
  refer_sizes(sizes, 3, order, 2);
  expect_invalid("values[2]: 3 sizes but 2 entries of dim_order");
  refer_sizes(sizes, 2, twice, 2);
  expect_invalid("values[2]: dim_order[1] = 1 is not part of a permutation");
}

static void set_tensor_i8(uint16_t field, int8_t value) {
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 4, 0);
  et_fb_set_i8(&writer.buffer, writer.last_table, field, value);
}

static void test_unknown_tensor_kinds_are_refused(void **state) {
  (void)state;
  set_tensor_i8(ET_TENSOR_SCALAR_TYPE, 30);
  expect_invalid("scalar_type 30 is unknown");
  set_tensor_i8(ET_TENSOR_SCALAR_TYPE, -1);
  expect_invalid("scalar_type -1 is unknown");
  set_tensor_i8(ET_TENSOR_DYNAMISM, 3);
  expect_invalid("shape_dynamism 3 is unknown");
  set_tensor_i8(ET_TENSOR_LAYOUT, 1);
  expect_invalid("the layout is not strided");
}

static void test_kinds_of_other_runtimes_are_not_supported(void **state) {
  (void)state;
  set_tensor_i8(ET_TENSOR_SCALAR_TYPE, 12); /* qint8 */
  et_test_expect_method_refused(
      et_writer_finish(&writer), ET_STATUS_NOT_SUPPORTED,
      "values[2]: the runtime does not support the dtype");
  set_tensor_i8(ET_TENSOR_DYNAMISM, 2);
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_NOT_SUPPORTED,
                                "does not have an upper bound");
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 4, 0);
  et_fb_set_i32(&writer.buffer, writer.last_table, ET_TENSOR_STORAGE_OFFSET, 1);
  et_test_expect_refused(et_writer_finish(&writer), ET_STATUS_NOT_SUPPORTED,
                         "storage_offset");
}

static void test_slots_of_unsupported_kinds_are_not_described(void **state) {
  (void)state;
  const struct {
    uint16_t field;
    int8_t value;
    const char *message;
  } kinds[] = {
      {ET_TENSOR_SCALAR_TYPE, 12,
       "scalar_type 12 or shape_dynamism 0 is not supported"
       "; "
       "export with another dtype, or with bounded dims"},
      {ET_TENSOR_DYNAMISM, 2,
       "scalar_type 6 or shape_dynamism 2 is not supported"
       "; "
       "export with another dtype, or with bounded dims"},
  };
  for (size_t i = 0; i < 2; i++) {
    et_program program;
    et_method_meta meta;
    et_value_meta value;
    et_error error;
    set_tensor_i8(kinds[i].field, kinds[i].value);
    et_writer_input(&writer, 2);
    et_error_clear(&error);
    assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                     ET_STATUS_OK);
    et_program_method_meta(&program, "forward", &meta, NULL);
    assert_int_equal(et_method_meta_input(&meta, 1, &value, &error),
                     ET_STATUS_NOT_SUPPORTED);
    assert_string_equal(error.message, kinds[i].message);
  }
}

static void set_allocation(uint16_t field, int32_t value) {
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 4, ET_NOT_PLANNED);
  const size_t tensor = writer.last_table;
  const size_t allocation = et_fb_add_table(&writer.buffer, 3);
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_ALLOCATION, allocation);
  et_fb_set_i32(&writer.buffer, allocation, ET_ALLOCATION_MEMORY_ID, 1);
  et_fb_set_i32(&writer.buffer, allocation, field, value);
}

static void test_planned_bytes_out_of_bounds_are_refused(void **state) {
  (void)state;
  set_allocation(ET_ALLOCATION_MEMORY_ID, 0);
  expect_invalid("values[2]: memory id 0 does not exist");
  set_allocation(ET_ALLOCATION_MEMORY_ID, 2);
  expect_invalid("values[2]: memory id 2 does not exist");
  set_allocation(ET_ALLOCATION_OFFSET_LOW, 52);
  expect_invalid(
      "values[2]: 16 bytes at 52 exceed the 64 bytes of memory id 1");
  set_allocation(ET_ALLOCATION_OFFSET_LOW, -16);
  expect_invalid("values[2]: 16 bytes at 4294967280 exceed");
  set_allocation(ET_ALLOCATION_OFFSET_HIGH, -1);
  expect_invalid("exceed the 64 bytes of memory id 1");
  set_allocation(ET_ALLOCATION_OFFSET_LOW, 2);
  expect_invalid("values[2]: offset 2 is not aligned to 4");
}

static void test_negative_buffer_sizes_are_refused(void **state) {
  (void)state;
  const int64_t sizes[] = {-1, INT64_MIN, INT64_MAX};
  for (size_t i = 0; i < 3; i++) {
    et_writer_start(&writer, sizes[i]);
    et_test_expect_refused(et_writer_finish(&writer),
                           sizes[i] < 0 || SIZE_MAX == UINT32_MAX
                               ? ET_STATUS_INVALID_PROGRAM
                               : ET_STATUS_OK,
                           sizes[i] < 0 ? "non_const_buffer_sizes[1]" : "");
  }
}

static void test_number_of_planned_buffers_is_limited(void **state) {
  (void)state;
  /* Entry 0 is reserved; the values are in buffer 1. */
  const int64_t sizes[ET_MAX_PLANNED_BUFFERS + 2] = {0, 64};
  for (uint32_t count = 32; count <= 33; count++) {
    et_test_write_copy(&writer, 4);
    et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_BUFFER_SIZES,
                et_fb_add_vector(&writer.buffer, sizes, count + 1, 8));
    et_test_expect_refused(
        et_writer_finish(&writer),
        count == 32 ? ET_STATUS_OK : ET_STATUS_INVALID_PROGRAM,
        count == 32
            ? ""
            : "non_const_buffer_sizes: 33 buffers exceed the limit of 32");
  }
}

static void test_constant_without_segment_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 4, ET_NOT_PLANNED);
  et_fb_set_i32(&writer.buffer, writer.last_table, ET_TENSOR_DATA_BUFFER, 1);
  expect_invalid("values[2]: data_buffer_idx 1 does not have 16 bytes");
}

static void write_methods(const char *const *names, uint32_t count) {
  et_test_write_copy(&writer, 4);
  const size_t plans = et_fb_add_vector(&writer.buffer, NULL, count, 4);
  et_fb_refer(&writer.buffer, writer.program, ET_PROGRAM_EXECUTION_PLAN, plans);
  for (uint32_t i = 0; i < count; i++) {
    const size_t plan = et_fb_add_table(&writer.buffer, 10);
    et_fb_refer_element(&writer.buffer, plans, i, plan);
    et_fb_refer(&writer.buffer, plan, ET_PLAN_NAME,
                et_fb_add_text(&writer.buffer, names[i]));
  }
}

static void test_duplicate_method_names_are_refused(void **state) {
  (void)state;
  const char *const twice[] = {"forward", "forward"};
  const char *const apart[] = {"decode", "b", "encoder", "a", "c", "decode"};
  const char *const others[] = {"decode", "b", "encoder", "a", "c", "decoda"};
  et_error error;
  write_methods(twice, 2);
  expect_invalid("execution_plan[1] has the same name as execution_plan[0]");
  write_methods(apart, 6);
  expect_invalid("execution_plan[5] has the same name as execution_plan[0]");
  write_methods(others, 6);
  assert_int_equal(et_test_load(et_writer_finish(&writer), &error),
                   ET_STATUS_OK);
}

static void test_too_long_names_are_refused(void **state) {
  (void)state;
  char name[300];
  memset(name, 'a', sizeof name);
  name[sizeof name - 1] = '\0';
  et_test_write_copy(&writer, 4);
  et_writer_operator(&writer, name, "out");
  expect_invalid("operators[1]: a name of 299 bytes");
  name[250] = '\0';
  et_test_write_copy(&writer, 4);
  et_writer_operator(&writer, name, "overload");
  expect_invalid("operators[1]: the overload name is too long");
  name[250] = 'a';
  et_test_write_copy(&writer, 4);
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_NAME,
              et_fb_add_text(&writer.buffer, name));
  expect_invalid("execution_plan[0]: a name of 299 bytes");
}

/* The kernel table and messages read names up to the first NUL. */
static void test_names_containing_nul_are_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_writer_operator(&writer, "test::abc", "out");
  writer.bytes[writer.buffer.size - 8 - 8] = '\0';
  expect_invalid("contains a NUL");
  et_test_write_copy(&writer, 4);
  const size_t name = et_fb_add_text(&writer.buffer, "forward");
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_NAME, name);
  writer.bytes[name + 4] = '\0';
  expect_invalid("execution_plan[0]: the name contains a NUL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_input_and_output_indices_out_of_bounds_are_refused),
      cmocka_unit_test(test_kernel_args_out_of_bounds_are_refused),
      cmocka_unit_test(test_op_index_out_of_bounds_is_refused),
      cmocka_unit_test(
          test_move_jump_and_free_indices_out_of_bounds_are_refused),
      cmocka_unit_test(test_jump_out_of_the_chain_is_refused),
      cmocka_unit_test(test_delegate_call_without_delegates_is_refused),
      cmocka_unit_test(test_list_items_out_of_bounds_are_refused),
      cmocka_unit_test(test_int_list_items_wider_than_32_bits_are_refused),
      cmocka_unit_test(test_absent_item_is_allowed_only_where_optional),
      cmocka_unit_test(test_lists_of_wrong_kinds_are_refused),
      cmocka_unit_test(test_impossible_sizes_are_refused),
      cmocka_unit_test(test_impossible_dims_are_refused),
      cmocka_unit_test(test_unknown_tensor_kinds_are_refused),
      cmocka_unit_test(test_kinds_of_other_runtimes_are_not_supported),
      cmocka_unit_test(test_slots_of_unsupported_kinds_are_not_described),
      cmocka_unit_test(test_planned_bytes_out_of_bounds_are_refused),
      cmocka_unit_test(test_negative_buffer_sizes_are_refused),
      cmocka_unit_test(test_number_of_planned_buffers_is_limited),
      cmocka_unit_test(test_constant_without_segment_is_refused),
      cmocka_unit_test(test_duplicate_method_names_are_refused),
      cmocka_unit_test(test_too_long_names_are_refused),
      cmocka_unit_test(test_names_containing_nul_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
