/* Tests tables, vectors, strings, unions and absent fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "executorch/value.h"
#include "runtime/core/limits.h"
#include "runtime/program/flatbuffer.h"
#include "runtime/program/schema.h"
#include "runtime/program/tables.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;

static void expect_invalid(const char *part) {
  et_test_expect_refused(et_writer_finish(&writer), ET_STATUS_INVALID_PROGRAM,
                         part);
}

/* Returns the position of a field of a table. */
static size_t slot_of(size_t table, uint16_t field) {
  return table + 8 + 8 * (size_t)field;
}

static void test_written_program_is_accepted(void **state) {
  (void)state;
  et_error error;
  et_test_write_copy(&writer, 4);
  assert_int_equal(et_test_load_method(et_writer_finish(&writer), &error),
                   ET_STATUS_OK);
}

static void test_method_and_slot_indices_are_bounded(void **state) {
  (void)state;
  et_program program;
  et_method_meta meta;
  et_value_meta value;
  et_string name = {NULL, 0};
  size_t bytes = 0;
  et_test_write_copy(&writer, 4);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_program_method_count(&program), 1);
  assert_int_equal(et_program_method_name(&program, 0, &name), ET_STATUS_OK);
  assert_string_equal(name.data, "forward");
  assert_int_equal(et_program_method_name(&program, 1, &name),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_program_method_meta(&program, "forward", &meta, NULL),
                   ET_STATUS_OK);
  assert_int_equal(et_method_meta_input(&meta, 0, &value, NULL), ET_STATUS_OK);
  assert_int_equal(et_method_meta_input(&meta, 1, &value, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_meta_output(&meta, 1, &value, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_method_meta_planned_bytes(&meta, 0, &bytes, NULL),
                   ET_STATUS_OK);
  assert_int_equal(bytes, 64);
  assert_int_equal(et_method_meta_planned_bytes(&meta, 1, &bytes, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
}

static void test_inputs_and_outputs_are_described(void **state) {
  (void)state;
  const int32_t sizes[2] = {2, 3};
  const uint8_t order[2] = {1, 0};
  et_program program;
  et_method_meta meta;
  et_value_meta value;
  et_test_write_copy(&writer, 4);
  et_writer_input(&writer, et_writer_int(&writer, 5));
  et_writer_output(&writer, et_writer_tensor(&writer, ET_SCALAR_TYPE_INT16, 6,
                                             ET_NOT_PLANNED));
  const size_t tensor = writer.last_table;
  et_fb_set_i8(&writer.buffer, tensor, ET_TENSOR_DYNAMISM,
               ET_SHAPE_DYNAMIC_BOUND);
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_SIZES,
              et_fb_add_vector(&writer.buffer, sizes, 2, sizeof *sizes));
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_DIM_ORDER,
              et_fb_add_vector(&writer.buffer, order, 2, 1));
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  et_program_method_meta(&program, "forward", &meta, NULL);
  assert_int_equal(et_method_meta_output(&meta, 1, &value, NULL), ET_STATUS_OK);
  assert_int_equal(value.tag, ET_VALUE_TENSOR);
  assert_int_equal(value.dtype, ET_SCALAR_TYPE_INT16);
  assert_int_equal(value.rank, 2);
  assert_int_equal(value.dynamism, ET_SHAPE_DYNAMIC_BOUND);
  assert_int_equal(value.nbytes, 12);
  assert_false(value.is_planned);
  assert_memory_equal(value.sizes, sizes, sizeof sizes);
  assert_memory_equal(value.dim_order, order, sizeof order);
  assert_int_equal(et_method_meta_input(&meta, 0, &value, NULL), ET_STATUS_OK);
  assert_true(value.is_planned);
  assert_int_equal(value.dynamism, ET_SHAPE_STATIC);
  assert_int_equal(et_method_meta_input(&meta, 1, &value, NULL), ET_STATUS_OK);
  assert_int_equal(value.tag, ET_VALUE_INT);
}

/* A table of 40 KB that every value refers to. */
static void test_shared_large_tables_do_not_multiply_work(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  size_t owners[62];
  writer.value_count = 64;
  for (uint32_t i = 2; i < 64; i++) {
    const size_t owner = et_fb_add_table(&writer.buffer, 2);
    et_fb_refer_element(&writer.buffer, writer.values, i, owner);
    et_fb_set_i8(&writer.buffer, owner, ET_EVALUE_TAG, ET_VALUE_NONE);
    owners[i - 2] = owner;
  }
  const size_t large = et_fb_add_table(&writer.buffer, 4000);
  for (size_t i = 0; i < 62; i++) {
    et_fb_refer(&writer.buffer, owners[i], ET_EVALUE_VALUE, large);
  }
  expect_invalid("the total size of shared tables exceeds the limit");
}

static void test_vtable_offset_out_of_bounds_is_refused(void **state) {
  (void)state;
  const int32_t backs[] = {INT32_MAX, INT32_MIN, -1, 1};
  for (size_t i = 0; i < 4; i++) {
    et_test_write_copy(&writer, 4);
    et_fb_put_u32(&writer.buffer, writer.plan, (uint32_t)backs[i]);
    expect_invalid("execution_plan[0]: the table is outside the file");
  }
}

static void test_field_outside_its_table_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  uint32_t back = 0;
  memcpy(&back, writer.bytes + writer.plan, sizeof back);
  const size_t entry = writer.plan - back + 4 + 2 * ET_PLAN_VALUES;
  memcpy(writer.bytes + entry, "\xFF\x7F", 2);
  expect_invalid("execution_plan[0].values");
  memcpy(writer.bytes + entry, "\x02\x00", 2);
  expect_invalid("execution_plan[0].values");
}

static void test_scalar_outside_its_table_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 1, 0);
  uint8_t *table = writer.buffer.data + writer.last_table;
  uint32_t back = 0;
  memcpy(&back, table, sizeof back);
  memcpy(table - back + 4 + 2 * ET_TENSOR_SCALAR_TYPE, "\xFC\xFF", 2);
  expect_invalid("the field is outside its table");
}

static void test_table_offset_out_of_bounds_is_refused(void **state) {
  (void)state;
  const uint32_t offsets[] = {0, 0x7FFFFFFF, UINT32_MAX};
  for (size_t i = 0; i < 3; i++) {
    et_test_write_copy(&writer, 4);
    et_fb_put_u32(&writer.buffer, slot_of(writer.plan, ET_PLAN_VALUES),
                  offsets[i]);
    expect_invalid("values");
  }
}

static void test_vector_longer_than_the_file_is_refused(void **state) {
  (void)state;
  const uint32_t counts[] = {UINT32_MAX, 0x40000000, 100000};
  for (size_t i = 0; i < 3; i++) {
    et_test_write_copy(&writer, 4);
    et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_BUFFER_SIZES,
                et_fb_add_vector(&writer.buffer, NULL, 1, 8));
    et_fb_put_u32(&writer.buffer, writer.buffer.size - 12, counts[i]);
    expect_invalid("non_const_buffer_sizes: the vector is outside");
  }
}

static void test_text_without_nul_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  const size_t text = et_fb_add_text(&writer.buffer, "name");
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_NAME, text);
  writer.bytes[text + 8] = 'x';
  expect_invalid("name: the text does not end with NUL");
  et_fb_put_u32(&writer.buffer, text, 3);
  expect_invalid("name: the text does not end with NUL");
}

static void test_unterminated_text_at_the_end_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  const size_t text = et_fb_add_text(&writer.buffer, "abcd");
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_NAME, text);
  writer.buffer.size -= 1; /* cuts off the NUL */
  expect_invalid("name: the text does not end with NUL");
}

/* Removes a field from a table. */
static void drop_field(size_t table, uint16_t field) {
  uint32_t back = 0;
  memcpy(&back, writer.bytes + table, sizeof back);
  memset(writer.bytes + table - back + 4 + 2 * (size_t)field, 0, 2);
}

static void test_program_without_methods_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  drop_field(writer.program, ET_PROGRAM_EXECUTION_PLAN);
  expect_invalid("execution_plan: got 0 methods");
}

static void test_absent_plan_fields_are_refused_where_required(void **state) {
  (void)state;
  const struct {
    uint16_t field;
    const char *part;
  } cases[] = {{ET_PLAN_NAME, "execution_plan[0]: the name is empty"},
               {ET_PLAN_VALUES, "is out of range for 0 values"},
               {ET_PLAN_OPERATORS, "op_index 0 is out of range for 0 elements"},
               {ET_PLAN_BUFFER_SIZES, "memory id 1 does not exist"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    et_test_write_copy(&writer, 4);
    drop_field(writer.plan, cases[i].field);
    expect_invalid(cases[i].part);
  }
}

static void test_absent_plan_lists_are_empty(void **state) {
  (void)state;
  const uint16_t fields[] = {ET_PLAN_CONTAINER_META, ET_PLAN_INPUTS,
                             ET_PLAN_OUTPUTS, ET_PLAN_CHAINS,
                             ET_PLAN_DELEGATES};
  et_error error;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    et_test_write_copy(&writer, 4);
    drop_field(writer.plan, fields[i]);
    assert_int_equal(et_test_load(et_writer_finish(&writer), &error),
                     ET_STATUS_OK);
  }
}

static void test_operator_without_name_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_fb_refer_element(&writer.buffer, writer.operators, 0,
                      et_fb_add_table(&writer.buffer, 2));
  expect_invalid("operators[0]: the name is empty");
}

static void test_tensor_without_sizes_is_a_scalar_or_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 4, 0);
  drop_field(writer.last_table, ET_TENSOR_SIZES);
  expect_invalid("0 sizes but 1 entries of dim_order");
  drop_field(writer.last_table, ET_TENSOR_DIM_ORDER);
  et_error error;
  assert_int_equal(et_test_load(et_writer_finish(&writer), &error),
                   ET_STATUS_OK);
}

/* The location is prepended to the message of the new failure, not to an older
 * one. */
static void test_new_failure_replaces_the_previous_one(void **state) {
  (void)state;
  et_error error;
  et_program program;
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 4, 0);
  drop_field(writer.last_table, ET_TENSOR_SIZES);
  const et_span file = et_writer_finish(&writer);
  et_error_clear(&error);
  et_fail(&error, ET_STATUS_NOT_FOUND, "first");
  assert_int_equal(et_program_load(file, &program, NULL),
                   ET_STATUS_INVALID_PROGRAM);
  et_program_load(file, &program, &error);
  assert_int_equal(error.status, ET_STATUS_INVALID_PROGRAM);
  assert_null(strstr(error.message, "first"));
  assert_non_null(strstr(error.message, "execution_plan[0].values["));
  assert_non_null(
      strstr(error.message, "]: 0 sizes but 1 entries of dim_order"));
}

static void test_delegate_without_payload_or_id_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  const size_t delegates = et_fb_add_vector(&writer.buffer, NULL, 1, 4);
  et_fb_refer(&writer.buffer, writer.plan, ET_PLAN_DELEGATES, delegates);
  const size_t delegate = et_fb_add_table(&writer.buffer, 3);
  et_fb_refer_element(&writer.buffer, delegates, 0, delegate);
  expect_invalid("delegates[0]: the name is empty");
  et_fb_refer(&writer.buffer, delegate, ET_DELEGATE_ID,
              et_fb_add_text(&writer.buffer, "TestBackend"));
  expect_invalid("delegates[0]: the payload does not exist");
}

static void test_union_tag_without_value_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  const size_t owner = et_fb_add_table(&writer.buffer, 2);
  et_fb_set_i8(&writer.buffer, owner, ET_EVALUE_TAG, ET_VALUE_INT);
  et_fb_refer_element(&writer.buffer, writer.values, 1, owner);
  expect_invalid(
      "values[1].val: the union has a tag but does not have a value");
}

static void test_union_value_without_tag_is_refused(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_writer_value(&writer, 0, 1);
  expect_invalid("values[2].val: the tag of the union is unknown");
}

/* The schema has no fields for None, so the file's content there is not
 * verified. */
static void test_none_value_is_empty(void **state) {
  (void)state;
  et_program program;
  et_fb_table held;
  et_test_write_copy(&writer, 4);
  const int32_t none = et_writer_value(&writer, ET_VALUE_NONE, 1);
  const int32_t wild = INT32_MAX;
  et_fb_set(&writer.buffer, writer.last_table, 0, &wild, sizeof wild);
  assert_int_equal(et_program_load(et_writer_finish(&writer), &program, NULL),
                   ET_STATUS_OK);
  const et_fb_table plan = et_tables_plan(&program, 0);
  const et_fb_vector values = et_fb_list(plan, ET_PLAN_VALUES);
  assert_int_equal(et_tables_value(values, (uint32_t)none, &held),
                   ET_VALUE_NONE);
  assert_int_equal(et_fb_count(et_fb_list(held, ET_SINGLE_FIELD)), 0);
}

static void test_unknown_union_tag_is_refused_when_opening(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_writer_value(&writer, 12, 1);
  expect_invalid("values[2].val: the tag of the union is unknown");
  et_test_write_copy(&writer, 4);
  et_writer_free(&writer, 0);
  const size_t step = writer.last_table; /* its union is at a lower position */
  uint32_t slot = 0;
  memcpy(&slot, writer.bytes + writer.instructions + 8, sizeof slot);
  const size_t owner = writer.instructions + 8 + slot;
  assert_true(owner < step);
  et_fb_set_i8(&writer.buffer, owner, ET_INSTRUCTION_TAG, 6);
  expect_invalid("instructions[1].instr_args: the tag of the union is unknown");
}

/* Adds a vector of `count` references to the next table. */
static size_t refer_often(size_t table, uint16_t field, uint32_t count) {
  const size_t vector = et_fb_add_vector(&writer.buffer, NULL, count, 4);
  et_fb_refer(&writer.buffer, table, field, vector);
  const size_t target = et_fb_add_table(&writer.buffer, 4);
  for (uint32_t i = 0; i < count; i++) {
    et_fb_refer_element(&writer.buffer, vector, i, target);
  }
  return target;
}

/* 2,000 stack traces that share 2,000 frames would need four million visits. */
static void test_shared_tables_do_not_multiply_work(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  const size_t trace = refer_often(writer.chain, ET_CHAIN_STACKTRACE, 2000);
  refer_often(trace, ET_FRAME_LIST_ITEMS, 2000);
  expect_invalid("the total size of shared tables exceeds the limit");
}

static void test_equal_tables_may_be_shared(void **state) {
  (void)state;
  et_error error;
  et_test_write_copy(&writer, 4);
  refer_often(writer.chain, ET_CHAIN_STACKTRACE, 2000);
  assert_int_equal(et_test_load(et_writer_finish(&writer), &error),
                   ET_STATUS_OK);
}

static void test_number_of_call_args_is_limited(void **state) {
  (void)state;
  static const int32_t args[ET_LIMIT_CALL_ARGS + 1] = {0};
  et_error error;
  et_test_write_copy(&writer, 2);
  et_writer_call(&writer, "copy", args, ET_LIMIT_CALL_ARGS);
  assert_int_equal(et_test_load(et_writer_finish(&writer), &error),
                   ET_STATUS_OK);
  et_test_write_copy(&writer, 2);
  et_writer_call(&writer, "copy", args, ET_LIMIT_CALL_ARGS + 1);
  expect_invalid("1025 args exceed the limit of 1024");
}

static void test_number_of_methods_is_limited(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  const size_t plans = et_fb_add_vector(&writer.buffer, NULL, 1025, 4);
  et_fb_refer(&writer.buffer, writer.program, ET_PROGRAM_EXECUTION_PLAN, plans);
  const size_t plan = et_fb_add_table(&writer.buffer, 0);
  for (uint32_t i = 0; i < 1025; i++) {
    et_fb_refer_element(&writer.buffer, plans, i, plan);
  }
  expect_invalid("1025 methods");
}

/* Adds a delegate with an empty payload and `count` empty compile specs. */
static void write_delegate_with_specs(uint32_t count) {
  et_fb_writer *buffer = &writer.buffer;
  et_test_write_copy(&writer, 4);
  const size_t delegates = et_fb_add_vector(buffer, NULL, 1, 4);
  et_fb_refer(buffer, writer.plan, ET_PLAN_DELEGATES, delegates);
  const size_t delegate = et_fb_add_table(buffer, 3);
  et_fb_refer_element(buffer, delegates, 0, delegate);
  et_fb_refer(buffer, delegate, ET_DELEGATE_ID,
              et_fb_add_text(buffer, "TestBackend"));
  et_fb_refer(buffer, delegate, ET_DELEGATE_PROCESSED,
              et_fb_add_table(buffer, 2));
  const size_t data = et_fb_add_vector(buffer, NULL, 1, 4);
  et_fb_refer(buffer, writer.program, ET_PROGRAM_DELEGATE_DATA, data);
  et_fb_refer_element(buffer, data, 0, et_fb_add_table(buffer, 1));
  const size_t specs = et_fb_add_vector(buffer, NULL, count, 4);
  et_fb_refer(buffer, delegate, ET_DELEGATE_SPECS, specs);
  for (uint32_t i = 0; i < count; i++) {
    et_fb_refer_element(buffer, specs, i, et_fb_add_table(buffer, 2));
  }
}

static void test_number_of_compile_specs_is_limited(void **state) {
  (void)state;
  et_error error;
  write_delegate_with_specs(ET_LIMIT_COMPILE_SPECS);
  if (et_test_load(et_writer_finish(&writer), &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
  write_delegate_with_specs(ET_LIMIT_COMPILE_SPECS + 1);
  expect_invalid("delegates[0]: 33 compile_specs exceed the limit of 32");
}

/* Checks invariants for arbitrary bytes: accepted tables have readable fields,
 * offsets are in bounds, and vectors are complete. Sanitizers detect other
 * errors. */
static void check_steps(et_span buffer, uint32_t at) {
  const uint32_t target = et_fb_check_offset(buffer, at);
  assert_true(target == 0 || target + 4 <= buffer.size);
  if (et_fb_check_table(buffer, at) != 0) {
    for (unsigned field = 0; field < 16; field++) {
      et_fb_u64(et_fb_table_at(buffer, at), field);
    }
  }
  if (et_fb_check_vector(buffer, at, 4)) {
    const et_fb_vector list = (et_fb_vector)(const void *)(buffer.data + at);
    et_fb_u32_at(list, et_fb_count(list) - 1);
  }
}

static void test_verifier_reads_stay_in_the_buffer(void **state) {
  (void)state;
  uint8_t *bytes = malloc(64);
  const et_span buffer = {bytes, 64};
  for (int fill = 0; fill < 256; fill++) {
    memset(bytes, fill, buffer.size);
    for (uint32_t at = 0; at < 70; at++) {
      check_steps(buffer, at);
    }
  }
  srand(1);
  for (int round = 0; round < 20000; round++) {
    for (size_t i = 0; i < buffer.size; i++) {
      bytes[i] = (uint8_t)(rand() % 3 == 0 ? rand() % 24 : 0);
    }
    check_steps(buffer, (uint32_t)(rand() % 70));
  }
  free(bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_written_program_is_accepted),
      cmocka_unit_test(test_method_and_slot_indices_are_bounded),
      cmocka_unit_test(test_inputs_and_outputs_are_described),
      cmocka_unit_test(test_shared_large_tables_do_not_multiply_work),
      cmocka_unit_test(test_vtable_offset_out_of_bounds_is_refused),
      cmocka_unit_test(test_field_outside_its_table_is_refused),
      cmocka_unit_test(test_scalar_outside_its_table_is_refused),
      cmocka_unit_test(test_table_offset_out_of_bounds_is_refused),
      cmocka_unit_test(test_vector_longer_than_the_file_is_refused),
      cmocka_unit_test(test_text_without_nul_is_refused),
      cmocka_unit_test(test_unterminated_text_at_the_end_is_refused),
      cmocka_unit_test(test_program_without_methods_is_refused),
      cmocka_unit_test(test_absent_plan_fields_are_refused_where_required),
      cmocka_unit_test(test_absent_plan_lists_are_empty),
      cmocka_unit_test(test_operator_without_name_is_refused),
      cmocka_unit_test(test_tensor_without_sizes_is_a_scalar_or_refused),
      cmocka_unit_test(test_new_failure_replaces_the_previous_one),
      cmocka_unit_test(test_delegate_without_payload_or_id_is_refused),
      cmocka_unit_test(test_union_tag_without_value_is_refused),
      cmocka_unit_test(test_union_value_without_tag_is_refused),
      cmocka_unit_test(test_none_value_is_empty),
      cmocka_unit_test(test_unknown_union_tag_is_refused_when_opening),
      cmocka_unit_test(test_shared_tables_do_not_multiply_work),
      cmocka_unit_test(test_equal_tables_may_be_shared),
      cmocka_unit_test(test_number_of_call_args_is_limited),
      cmocka_unit_test(test_number_of_methods_is_limited),
      cmocka_unit_test(test_number_of_compile_specs_is_limited),
      cmocka_unit_test(test_verifier_reads_stay_in_the_buffer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
