/* Memory plans: what is refused because it would corrupt values in bounds
 * (M21), and what real programs do and must be accepted. All tensors are of
 * four floats. */
#include "runtime/method/plan_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>

#include "executorch/value.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;

static int32_t start_with_input(void) {
  et_writer_start(&writer, 256);
  const int32_t in = et_writer_floats(&writer, 4, 0);
  et_writer_input(&writer, in);
  return in;
}

/* A tensor in 16 bytes of its own: place 0 is the input's. */
static int32_t tensor_at(int32_t place) {
  return et_writer_floats(&writer, 4, 16 * place);
}

static void copy(int32_t from, int32_t to) {
  const int32_t args[3] = {from, to, to};
  et_writer_call(&writer, "copy", args, 3);
}

static void add(int32_t a, int32_t b, int32_t out) {
  const int32_t args[4] = {a, b, out, out};
  et_writer_call(&writer, "add", args, 4);
}

static void expect_refused(const char *part) {
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM, part);
}

static void expect_accepted(void) {
  et_error error;
  if (et_test_load_method(et_writer_finish(&writer), &error) != ET_STATUS_OK) {
    fail_msg("refused: %s", error.message);
  }
}

static void test_m21_reading_overwritten_bytes_is_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t b = tensor_at(1);
  const int32_t out = tensor_at(2);
  copy(in, a);
  copy(in, b);
  add(a, b, out);
  et_writer_output(&writer, out);
  expect_refused(
      "instructions[2] reads values[1], but values[2] has overwritten");
}

static void test_m21_partly_overwritten_bytes_are_seen(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t small = et_writer_floats(&writer, 1, 28);
  const int32_t from = et_writer_floats(&writer, 1, 64);
  const int32_t out = tensor_at(2);
  et_writer_input(&writer, from);
  copy(in, a);
  copy(from, small);
  copy(a, out);
  expect_refused(
      "instructions[2] reads values[1], but values[2] has overwritten");
}

static void test_bytes_of_dead_values_may_be_reused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t b = tensor_at(0);
  const int32_t out = tensor_at(1);
  copy(in, a);
  copy(a, b);
  copy(b, out);
  et_writer_output(&writer, out);
  expect_accepted();
}

static void test_m21_overlapping_inputs_are_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t other = et_writer_floats(&writer, 4, 8);
  const int32_t out = tensor_at(2);
  et_writer_input(&writer, other);
  add(in, other, out);
  expect_refused("instructions[0] reads values[0], but values[1] has");
}

static void test_m21_overwritten_output_is_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t out = tensor_at(1);
  const int32_t after = tensor_at(1);
  copy(in, out);
  copy(in, after);
  et_writer_output(&writer, out);
  expect_refused("outputs[0]: values[2] has overwritten its bytes");
}

static void test_m21_out_that_shares_bytes_with_an_operand_is_refused(
    void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t out = et_writer_floats(&writer, 4, 8);
  copy(in, out);
  expect_refused(
      "instructions[0] writes values[1], which shares bytes with its "
      "operand values[0]");
}

static void test_m21_outs_that_share_bytes_are_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t outs[2] = {tensor_at(1), tensor_at(1)};
  const int32_t list =
      et_writer_tensor_list(&writer, outs, 2, ET_VALUE_TENSOR_LIST);
  const int32_t args[4] = {in, outs[0], outs[1], list};
  et_writer_call(&writer, "pair", args, 4);
  expect_refused("instructions[0] writes values[1], which shares bytes");
}

static void test_m21_list_items_are_operands(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t b = tensor_at(1);
  const int32_t out = tensor_at(2);
  const int32_t items[2] = {in, a};
  const int32_t list =
      et_writer_tensor_list(&writer, items, 2, ET_VALUE_TENSOR_LIST);
  const int32_t args[3] = {list, out, out};
  copy(in, a);
  copy(in, b);
  et_writer_call(&writer, "sum", args, 3);
  expect_refused("instructions[2] reads values[1], but values[2]");
}

static void test_m21_writing_a_lent_input_is_refused(void **state) {
  (void)state;
  et_writer_start(&writer, 64);
  const int32_t lent = et_writer_floats(&writer, 4, ET_NOT_PLANNED);
  const int32_t in = tensor_at(0);
  et_writer_input(&writer, lent);
  et_writer_input(&writer, in);
  copy(in, lent);
  expect_refused("instructions[0] writes values[0], a constant or an input");
}

/* A mutable buffer: read before anything writes it, written back at the end. */
static void test_state_that_is_kept_is_accepted(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t total = tensor_at(1);
  const int32_t next = tensor_at(2);
  add(total, in, next);
  copy(next, total);
  et_writer_output(&writer, next);
  expect_accepted();
}

static void test_m21_state_that_is_overwritten_is_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t total = tensor_at(1);
  const int32_t next = tensor_at(2);
  const int32_t after = tensor_at(1);
  add(total, in, next);
  copy(next, after);
  et_writer_output(&writer, next);
  expect_refused(
      "values[1] is kept from run to run, but values[3] has "
      "overwritten its bytes");
}

static void test_m21_state_read_after_a_temporary_is_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t temporary = tensor_at(1);
  const int32_t total = et_writer_floats(&writer, 2, 24);
  const int32_t out = et_writer_floats(&writer, 2, 64);
  copy(in, temporary);
  copy(total, out);
  copy(out, total);
  expect_refused("instructions[1] reads values[2], but values[1]");
}

static void put(int32_t self, int32_t from) {
  const int32_t args[3] = {self, from, self};
  et_writer_call(&writer, "put", args, 3);
}

static void copy_index(int32_t to, int32_t from, int32_t index) {
  const int32_t args[3] = {to, from, index};
  const int32_t op =
      et_writer_operator(&writer, "executorch_prim::et_copy_index", "tensor");
  et_writer_call_operator(&writer, op, args, 3);
}

/* A mutable buffer that starts as zeros and is written in part. */
static void test_partial_writes_keep_the_state_around_them(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t cache = tensor_at(1);
  const int32_t out = tensor_at(2);
  put(cache, in);
  copy(cache, out);
  et_writer_output(&writer, out);
  expect_accepted();
}

static void test_m21_state_under_a_partial_write_is_kept(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t temporary = tensor_at(1);
  const int32_t cache = tensor_at(1);
  const int32_t out = tensor_at(2);
  copy(in, temporary);
  put(cache, in);
  copy(cache, out);
  et_writer_output(&writer, out);
  expect_refused("instructions[1] reads values[2], but values[1] has");
}

static void test_m21_state_behind_a_partial_write_is_kept(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t cache = tensor_at(1);
  const int32_t temporary = tensor_at(1);
  put(cache, in);
  copy(in, temporary);
  et_writer_output(&writer, temporary);
  expect_refused("values[1] is kept from run to run, but values[2] has");
}

static void test_m21_state_under_a_row_is_kept(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t temporary = tensor_at(1);
  const int32_t cache = tensor_at(1);
  const int32_t index = et_writer_int(&writer, 1);
  copy(in, temporary);
  copy_index(cache, in, index);
  et_writer_output(&writer, cache);
  expect_refused("instructions[1] reads values[2], but values[1] has");
}

/* for each row: rows[i] = in. All rows are written, so that bytes of dead
 * values may be taken for them. */
static void write_filling_loop(int32_t rows, int32_t clobber) {
  const int32_t in = 0;
  const int32_t index = et_writer_int(&writer, 0);
  const int32_t go_on = et_writer_bool(&writer, 0);
  copy(in, clobber);
  copy_index(rows, in, index);
  et_writer_jump_false(&writer, go_on, 1);
  et_writer_output(&writer, rows);
}

static void test_loop_that_fills_rows_may_take_bytes_of_dead_values(
    void **state) {
  (void)state;
  start_with_input();
  int32_t temporary = tensor_at(1);
  write_filling_loop(tensor_at(1), temporary);
  expect_accepted();
}

static void test_m21_rows_that_a_loop_has_filled_are_kept(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t temporary = tensor_at(1);
  const int32_t rows = tensor_at(1);
  const int32_t index = et_writer_int(&writer, 0);
  const int32_t go_on = et_writer_bool(&writer, 0);
  copy_index(rows, in, index);
  copy(in, temporary);
  et_writer_jump_false(&writer, go_on, 0);
  expect_refused("instructions[0] reads values[2], but values[1] has");
}

/* A loop around one that fills rows, in bytes that a temporary takes behind it. */
static void write_nested_loops(bool reads_old_rows) {
  const int32_t in = start_with_input();
  const int32_t temporary = tensor_at(1);
  const int32_t rows = tensor_at(1);
  const int32_t out = tensor_at(2);
  const int32_t index = et_writer_int(&writer, 0);
  const int32_t go_on = et_writer_bool(&writer, 0);
  copy(reads_old_rows ? rows : in, out);
  copy_index(rows, in, index);
  et_writer_jump_false(&writer, go_on, 1);
  copy(rows, out);
  copy(in, temporary);
  et_writer_jump_false(&writer, go_on, 0);
  et_writer_output(&writer, out);
}

static void test_rows_of_an_inner_loop_are_filled_anew(void **state) {
  (void)state;
  write_nested_loops(false);
  expect_accepted();
}

static void test_m21_rows_that_an_outer_loop_hands_on_are_kept(void **state) {
  (void)state;
  write_nested_loops(true);
  expect_refused("instructions[0] reads values[2], but values[1] has");
}

static void test_m21_rows_that_were_read_before_the_loop_are_state(
    void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t temporary = tensor_at(1);
  const int32_t rows = tensor_at(1);
  const int32_t out = tensor_at(2);
  copy(rows, out);
  write_filling_loop(rows, temporary);
  (void)in;
  expect_refused("instructions[2] reads values[2], but values[1] has");
}

static void test_m21_partly_written_operand_shares_no_bytes(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t cache = tensor_at(1);
  put(cache, et_writer_floats(&writer, 4, 24));
  (void)in;
  expect_refused(
      "instructions[0] writes values[1], which shares bytes with its "
      "operand values[2]");
  start_with_input();
  const int32_t self = tensor_at(1);
  put(self, self);
  expect_refused(
      "instructions[0] writes values[1], which shares bytes with its "
      "operand values[1]");
}

static void test_returns_beside_a_partial_write_are_the_outs(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t self = tensor_at(1);
  const int32_t outs[2] = {tensor_at(2), tensor_at(3)};
  const int32_t list =
      et_writer_tensor_list(&writer, outs, 2, ET_VALUE_TENSOR_LIST);
  const int32_t args[5] = {self, in, outs[0], outs[1], list};
  et_writer_call(&writer, "put_both", args, 5);
  expect_accepted();
}

static void test_m21_one_value_as_two_outs_is_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t outs[2] = {tensor_at(1), 1};
  const int32_t list =
      et_writer_tensor_list(&writer, outs, 2, ET_VALUE_TENSOR_LIST);
  const int32_t args[4] = {in, outs[0], outs[1], list};
  et_writer_call(&writer, "pair", args, 4);
  expect_refused("instructions[0] writes values[1] twice");
}

/* A compiler leaves out view operations: the view is never written. */
static void test_view_of_a_live_value_is_accepted(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t view = et_writer_floats(&writer, 2, 16);
  const int32_t out = et_writer_floats(&writer, 2, 64);
  copy(in, a);
  copy(view, out);
  et_writer_output(&writer, out);
  expect_accepted();
}

static void test_m21_view_across_two_values_is_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t b = tensor_at(2);
  const int32_t view = et_writer_floats(&writer, 4, 24);
  const int32_t out = tensor_at(4);
  copy(in, a);
  copy(in, b);
  copy(view, out);
  expect_refused("instructions[2] reads values[3], but values[1]");
}

static void test_m21_view_whose_base_is_overwritten_is_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t view = tensor_at(1);
  const int32_t out = tensor_at(2);
  const int32_t other = tensor_at(1);
  const int32_t last = tensor_at(3);
  copy(in, a);
  copy(view, out);
  copy(in, other);
  copy(view, last);
  expect_refused("instructions[3] reads values[2], but values[4]");
}

/* From the second iteration on, the loop reads what its own end has
 * overwritten. */
static void test_m21_loop_that_overwrites_its_own_operand_is_refused(
    void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t b = tensor_at(1);
  const int32_t out = tensor_at(2);
  const int32_t condition = et_writer_bool(&writer, 1);
  copy(in, a);
  copy(a, out);
  copy(in, b);
  et_writer_jump_false(&writer, condition, 1);
  expect_refused("instructions[1] reads values[1], but values[2]");
}

static void test_m21_overwritten_condition_is_refused(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t condition =
      et_writer_tensor(&writer, ET_SCALAR_TYPE_BOOL, 1, 16);
  et_writer_input(&writer, condition);
  copy(in, tensor_at(1));
  et_writer_jump_false(&writer, condition, 2);
  expect_refused("instructions[1] reads values[1], but values[2] has");
}

static void test_move_writes_its_target(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  const int32_t a = tensor_at(1);
  const int32_t target = tensor_at(1);
  const int32_t out = tensor_at(2);
  copy(in, a);
  et_writer_move(&writer, in, target);
  copy(a, out);
  expect_refused("instructions[2] reads values[1], but values[2]");
}

static void test_delegates_read_and_write(void **state) {
  (void)state;
  int32_t args[3];
  args[0] = start_with_input();
  args[1] = tensor_at(1);
  args[2] = tensor_at(2);
  et_writer_input(&writer, args[1]);
  et_writer_delegate(&writer, "TestBackend", "x", args, 3);
  et_writer_output(&writer, args[2]);
  expect_accepted();
  args[0] = start_with_input();
  args[1] = tensor_at(1);
  args[2] = et_writer_floats(&writer, 4, 24);
  et_writer_input(&writer, args[1]);
  et_writer_delegate(&writer, "TestBackend", "x", args, 3);
  expect_refused("instructions[0] writes values[2], which shares bytes");
}

/* Fourteen tensors cut the buffer into pieces, then one write takes them all.
 * What is read first, bytes 16 to 19, is state that `out` overwrites. */
static void test_many_writes_stay_within_the_working_memory(void **state) {
  (void)state;
  const int32_t in = start_with_input();
  for (int32_t i = 0; i < 14; i++) {
    const int32_t small = et_writer_floats(&writer, 1, 32 + 12 * i);
    const int32_t from = et_writer_floats(&writer, 1, 16);
    const int32_t args[3] = {from, small, small};
    et_writer_call(&writer, "copy", args, 3);
  }
  const int32_t large = et_writer_floats(&writer, 48, 64);
  const int32_t out = tensor_at(1);
  const int32_t number = et_writer_int(&writer, 1);
  const int32_t fill[3] = {number, large, large};
  et_writer_call(&writer, "fill", fill, 3);
  copy(in, out);
  et_writer_output(&writer, out);
  expect_refused("values[2] is kept from run to run");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_m21_reading_overwritten_bytes_is_refused),
      cmocka_unit_test(test_m21_partly_overwritten_bytes_are_seen),
      cmocka_unit_test(test_bytes_of_dead_values_may_be_reused),
      cmocka_unit_test(test_m21_overlapping_inputs_are_refused),
      cmocka_unit_test(test_m21_overwritten_output_is_refused),
      cmocka_unit_test(
          test_m21_out_that_shares_bytes_with_an_operand_is_refused),
      cmocka_unit_test(test_m21_outs_that_share_bytes_are_refused),
      cmocka_unit_test(test_m21_list_items_are_operands),
      cmocka_unit_test(test_m21_writing_a_lent_input_is_refused),
      cmocka_unit_test(test_state_that_is_kept_is_accepted),
      cmocka_unit_test(test_m21_state_that_is_overwritten_is_refused),
      cmocka_unit_test(test_m21_state_read_after_a_temporary_is_refused),
      cmocka_unit_test(test_partial_writes_keep_the_state_around_them),
      cmocka_unit_test(test_m21_state_under_a_partial_write_is_kept),
      cmocka_unit_test(test_m21_state_behind_a_partial_write_is_kept),
      cmocka_unit_test(test_m21_state_under_a_row_is_kept),
      cmocka_unit_test(test_loop_that_fills_rows_may_take_bytes_of_dead_values),
      cmocka_unit_test(test_m21_rows_that_a_loop_has_filled_are_kept),
      cmocka_unit_test(test_rows_of_an_inner_loop_are_filled_anew),
      cmocka_unit_test(test_m21_rows_that_an_outer_loop_hands_on_are_kept),
      cmocka_unit_test(test_m21_rows_that_were_read_before_the_loop_are_state),
      cmocka_unit_test(test_m21_partly_written_operand_shares_no_bytes),
      cmocka_unit_test(test_returns_beside_a_partial_write_are_the_outs),
      cmocka_unit_test(test_m21_one_value_as_two_outs_is_refused),
      cmocka_unit_test(test_view_of_a_live_value_is_accepted),
      cmocka_unit_test(test_m21_view_across_two_values_is_refused),
      cmocka_unit_test(test_m21_view_whose_base_is_overwritten_is_refused),
      cmocka_unit_test(
          test_m21_loop_that_overwrites_its_own_operand_is_refused),
      cmocka_unit_test(test_m21_overwritten_condition_is_refused),
      cmocka_unit_test(test_move_writes_its_target),
      cmocka_unit_test(test_delegates_read_and_write),
      cmocka_unit_test(test_many_writes_stay_within_the_working_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
