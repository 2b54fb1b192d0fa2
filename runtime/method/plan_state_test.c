/* Tests memory plans with state, partial writes, and rows that loops fill.
 * Invalid plans are rejected, valid ones accepted. */
#include "runtime/testing/program_test_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "executorch/value.h"

/* A mutable buffer is read before it is written, and written back at the
 * end. */
static void test_preserved_state_is_accepted(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t total = et_plan_tensor(1);
  const int32_t next = et_plan_tensor(2);
  et_plan_add(total, in, next);
  et_plan_copy(next, total);
  et_writer_output(&et_plan_writer, next);
  et_plan_accepted();
}

static void test_overwritten_state_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t total = et_plan_tensor(1);
  const int32_t next = et_plan_tensor(2);
  const int32_t after = et_plan_tensor(1);
  et_plan_add(total, in, next);
  et_plan_copy(next, after);
  et_writer_output(&et_plan_writer, next);
  et_plan_refused(
      "values[1] is persistent, but values[3] has overwritten its bytes");
}

static void test_state_read_after_a_temporary_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t temporary = et_plan_tensor(1);
  const int32_t total = et_writer_floats(&et_plan_writer, 2, 24);
  const int32_t out = et_writer_floats(&et_plan_writer, 2, 64);
  et_plan_copy(in, temporary);
  et_plan_copy(total, out);
  et_plan_copy(out, total);
  et_plan_refused("instructions[1] reads values[2], but values[1]");
}

static void put(int32_t self, int32_t from) {
  const int32_t args[3] = {self, from, self};
  et_writer_call(&et_plan_writer, "put", args, 3);
}

/* Adds the write-back of an in-place operator, such as `aten::copy_`. */
static void assign(int32_t self, int32_t from) {
  const int32_t args[3] = {self, from, self};
  et_writer_call(&et_plan_writer, "assign", args, 3);
}

/* Reads a tensor at offset 1 that no instruction writes: a view of the state
 * there. */
static int32_t add_view_of_state(void) {
  const int32_t view = et_plan_tensor(1);
  et_plan_copy(view, et_plan_tensor(2));
  return view;
}

static void test_state_read_through_views_is_accepted(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t total = et_plan_tensor(1);
  const int32_t view = add_view_of_state();
  add_view_of_state();
  assign(total, in);
  et_plan_copy(view, et_plan_tensor(3));
  et_plan_accepted();
}

static void test_view_of_a_part_of_state_is_accepted(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t total = et_plan_tensor(1);
  const int32_t part = et_writer_floats(&et_plan_writer, 1, 24);
  et_plan_copy(part, et_writer_floats(&et_plan_writer, 1, 48));
  assign(total, in);
  et_plan_accepted();
}

/* A temporary overwrites a state that is read only through views. */
static void test_state_read_through_views_is_preserved(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t total = et_plan_tensor(1);
  add_view_of_state();
  assign(total, in);
  et_plan_copy(in, et_plan_tensor(1));
  et_plan_refused("values[1] is persistent, but values[4] has");
  const int32_t other = et_plan_start();
  add_view_of_state();
  et_plan_copy(other, et_plan_tensor(1));
  et_plan_refused("values[1] is persistent, but values[3] has");
}

static void test_part_of_state_read_through_a_view_is_preserved(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t small = et_writer_floats(&et_plan_writer, 1, 28);
  const int32_t from = et_writer_floats(&et_plan_writer, 1, 64);
  et_writer_input(&et_plan_writer, from);
  add_view_of_state();
  assign(et_plan_tensor(1), in);
  et_plan_copy(from, small);
  et_plan_refused("values[3] is persistent");
}

static void test_view_of_state_after_a_temporary_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t total = et_plan_tensor(1);
  const int32_t view = add_view_of_state();
  et_plan_copy(in, et_plan_tensor(1));
  et_plan_copy(view, et_plan_tensor(3));
  assign(total, in);
  et_plan_refused("instructions[2] reads values[2], but values[4] has");
}

/* This method does not read the state, but a method that shares it may. */
static void test_write_only_state_is_preserved(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  assign(et_plan_tensor(1), in);
  et_plan_copy(in, et_plan_tensor(1));
  et_plan_refused("values[1] is persistent, but values[2] has");
}

/* A view of one state does not own the bytes of two states. */
static void test_view_across_two_states_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t view = et_writer_floats(&et_plan_writer, 4, 24);
  et_plan_copy(view, et_plan_tensor(3));
  assign(et_plan_tensor(1), in);
  assign(et_plan_tensor(2), in);
  et_plan_refused("values[1] is persistent");
}

static void copy_index(int32_t to, int32_t from, int32_t index) {
  const int32_t args[3] = {to, from, index};
  const int32_t op = et_writer_operator(
      &et_plan_writer, "executorch_prim::et_copy_index", "tensor");
  et_writer_call_operator(&et_plan_writer, op, args, 3);
}

/* A mutable buffer without an initial value is partly written. */
static void test_partial_writes_preserve_surrounding_state(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t cache = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  put(cache, in);
  et_plan_copy(cache, out);
  et_writer_output(&et_plan_writer, out);
  et_plan_accepted();
}

static void test_state_overlapped_by_a_partial_write_is_preserved(
    void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t temporary = et_plan_tensor(1);
  const int32_t cache = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  et_plan_copy(in, temporary);
  put(cache, in);
  et_plan_copy(cache, out);
  et_writer_output(&et_plan_writer, out);
  et_plan_refused("instructions[1] reads values[2], but values[1] has");
}

static void test_state_after_a_partial_write_is_preserved(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t cache = et_plan_tensor(1);
  const int32_t temporary = et_plan_tensor(1);
  put(cache, in);
  et_plan_copy(in, temporary);
  et_writer_output(&et_plan_writer, temporary);
  et_plan_refused("values[1] is persistent, but values[2] has");
}

static void test_state_overlapped_by_a_row_is_preserved(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t temporary = et_plan_tensor(1);
  const int32_t cache = et_plan_tensor(1);
  const int32_t index = et_writer_int(&et_plan_writer, 1);
  et_plan_copy(in, temporary);
  copy_index(cache, in, index);
  et_writer_output(&et_plan_writer, cache);
  et_plan_refused("instructions[1] reads values[2], but values[1] has");
}

/* Writes a loop with rows[i] = in for each row. All rows are written, so their
 * memory may hold dead values before the loop. */
static void write_filling_loop(int32_t rows, int32_t clobber) {
  const int32_t in = 0;
  const int32_t index = et_writer_int(&et_plan_writer, 0);
  const int32_t go_on = et_writer_bool(&et_plan_writer, 0);
  et_plan_copy(in, clobber);
  copy_index(rows, in, index);
  et_writer_jump_false(&et_plan_writer, go_on, 1);
  et_writer_output(&et_plan_writer, rows);
}

static void test_loop_that_fills_rows_may_reuse_dead_bytes(void **state) {
  (void)state;
  et_plan_start();
  int32_t temporary = et_plan_tensor(1);
  write_filling_loop(et_plan_tensor(1), temporary);
  et_plan_accepted();
}

static void test_rows_filled_by_a_loop_are_preserved(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t temporary = et_plan_tensor(1);
  const int32_t rows = et_plan_tensor(1);
  const int32_t index = et_writer_int(&et_plan_writer, 0);
  const int32_t go_on = et_writer_bool(&et_plan_writer, 0);
  copy_index(rows, in, index);
  et_plan_copy(in, temporary);
  et_writer_jump_false(&et_plan_writer, go_on, 0);
  et_plan_refused("instructions[0] reads values[2], but values[1] has");
}

/* Writes a loop around a loop that fills rows. A temporary then overwrites the
 * rows. */
static void write_nested_loops(bool reads_old_rows) {
  const int32_t in = et_plan_start();
  const int32_t temporary = et_plan_tensor(1);
  const int32_t rows = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  const int32_t index = et_writer_int(&et_plan_writer, 0);
  const int32_t go_on = et_writer_bool(&et_plan_writer, 0);
  et_plan_copy(reads_old_rows ? rows : in, out);
  copy_index(rows, in, index);
  et_writer_jump_false(&et_plan_writer, go_on, 1);
  et_plan_copy(rows, out);
  et_plan_copy(in, temporary);
  et_writer_jump_false(&et_plan_writer, go_on, 0);
  et_writer_output(&et_plan_writer, out);
}

static void test_rows_of_an_inner_loop_are_filled_again(void **state) {
  (void)state;
  write_nested_loops(false);
  et_plan_accepted();
}

static void test_rows_passed_on_by_an_outer_loop_are_preserved(void **state) {
  (void)state;
  write_nested_loops(true);
  et_plan_refused("instructions[0] reads values[2], but values[1] has");
}

static void test_rows_read_before_the_loop_are_state(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t temporary = et_plan_tensor(1);
  const int32_t rows = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  et_plan_copy(rows, out);
  write_filling_loop(rows, temporary);
  (void)in;
  et_plan_refused("instructions[2] reads values[2], but values[1] has");
}

static void test_partially_written_operand_shares_no_bytes(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t cache = et_plan_tensor(1);
  put(cache, et_writer_floats(&et_plan_writer, 4, 24));
  (void)in;
  et_plan_refused(
      "instructions[0] writes values[1], which overlaps its operand values[2]");
  et_plan_start();
  const int32_t self = et_plan_tensor(1);
  put(self, self);
  et_plan_refused(
      "instructions[0] writes values[1], which overlaps its operand values[1]");
}

static void test_returns_of_a_partial_write_are_the_outs(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t self = et_plan_tensor(1);
  const int32_t outs[2] = {et_plan_tensor(2), et_plan_tensor(3)};
  const int32_t list =
      et_writer_tensor_list(&et_plan_writer, outs, 2, ET_VALUE_TENSOR_LIST);
  const int32_t args[5] = {self, in, outs[0], outs[1], list};
  et_writer_call(&et_plan_writer, "put_both", args, 5);
  et_plan_accepted();
}

/* From the second iteration on, the loop reads bytes that its end has
 * overwritten. */
static void test_loop_that_overwrites_its_own_operand_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t b = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  const int32_t condition = et_writer_bool(&et_plan_writer, 1);
  et_plan_copy(in, a);
  et_plan_copy(a, out);
  et_plan_copy(in, b);
  et_writer_jump_false(&et_plan_writer, condition, 1);
  et_plan_refused("instructions[1] reads values[1], but values[2]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_preserved_state_is_accepted),
      cmocka_unit_test(test_overwritten_state_is_refused),
      cmocka_unit_test(test_state_read_after_a_temporary_is_refused),
      cmocka_unit_test(test_state_read_through_views_is_accepted),
      cmocka_unit_test(test_view_of_a_part_of_state_is_accepted),
      cmocka_unit_test(test_state_read_through_views_is_preserved),
      cmocka_unit_test(test_part_of_state_read_through_a_view_is_preserved),
      cmocka_unit_test(test_view_of_state_after_a_temporary_is_refused),
      cmocka_unit_test(test_write_only_state_is_preserved),
      cmocka_unit_test(test_view_across_two_states_is_refused),
      cmocka_unit_test(test_partial_writes_preserve_surrounding_state),
      cmocka_unit_test(test_state_overlapped_by_a_partial_write_is_preserved),
      cmocka_unit_test(test_state_after_a_partial_write_is_preserved),
      cmocka_unit_test(test_state_overlapped_by_a_row_is_preserved),
      cmocka_unit_test(test_loop_that_fills_rows_may_reuse_dead_bytes),
      cmocka_unit_test(test_rows_filled_by_a_loop_are_preserved),
      cmocka_unit_test(test_rows_of_an_inner_loop_are_filled_again),
      cmocka_unit_test(test_rows_passed_on_by_an_outer_loop_are_preserved),
      cmocka_unit_test(test_rows_read_before_the_loop_are_state),
      cmocka_unit_test(test_partially_written_operand_shares_no_bytes),
      cmocka_unit_test(test_returns_of_a_partial_write_are_the_outs),
      cmocka_unit_test(test_loop_that_overwrites_its_own_operand_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
