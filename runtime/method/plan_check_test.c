/* Tests memory plans. Plans that corrupt values within bounds are rejected;
 * plans of real programs are accepted. */
#include "runtime/testing/program_test_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "executorch/value.h"

static void test_reading_overwritten_bytes_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t b = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  et_plan_copy(in, a);
  et_plan_copy(in, b);
  et_plan_add(a, b, out);
  et_writer_output(&et_plan_writer, out);
  et_plan_refused(
      "instructions[2] reads values[1], but values[2] has overwritten");
}

static void test_partially_overwritten_bytes_are_detected(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t small = et_writer_floats(&et_plan_writer, 1, 28);
  const int32_t from = et_writer_floats(&et_plan_writer, 1, 64);
  const int32_t out = et_plan_tensor(2);
  et_writer_input(&et_plan_writer, from);
  et_plan_copy(in, a);
  et_plan_copy(from, small);
  et_plan_copy(a, out);
  et_plan_refused(
      "instructions[2] reads values[1], but values[2] has overwritten");
}

static void test_bytes_of_dead_values_may_be_reused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t b = et_plan_tensor(0);
  const int32_t out = et_plan_tensor(1);
  et_plan_copy(in, a);
  et_plan_copy(a, b);
  et_plan_copy(b, out);
  et_writer_output(&et_plan_writer, out);
  et_plan_accepted();
}

static void test_overlapping_inputs_are_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t other = et_writer_floats(&et_plan_writer, 4, 8);
  const int32_t out = et_plan_tensor(2);
  et_writer_input(&et_plan_writer, other);
  et_plan_add(in, other, out);
  et_plan_refused("instructions[0] reads values[0], but values[1] has");
}

static void test_overwritten_output_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t out = et_plan_tensor(1);
  const int32_t after = et_plan_tensor(1);
  et_plan_copy(in, out);
  et_plan_copy(in, after);
  et_writer_output(&et_plan_writer, out);
  et_plan_refused("outputs[0]: values[2] has overwritten its bytes");
}

static void test_out_that_shares_bytes_with_an_operand_is_refused(
    void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t out = et_writer_floats(&et_plan_writer, 4, 8);
  et_plan_copy(in, out);
  et_plan_refused(
      "instructions[0] writes values[1], which overlaps its operand values[0]");
}

static void test_outs_that_share_bytes_are_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t outs[2] = {et_plan_tensor(1), et_plan_tensor(1)};
  const int32_t list =
      et_writer_tensor_list(&et_plan_writer, outs, 2, ET_VALUE_TENSOR_LIST);
  const int32_t args[4] = {in, outs[0], outs[1], list};
  et_writer_call(&et_plan_writer, "pair", args, 4);
  et_plan_refused("instructions[0] writes values[1], which overlaps");
}

static void test_list_items_are_operands(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t b = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  const int32_t items[2] = {in, a};
  const int32_t list =
      et_writer_tensor_list(&et_plan_writer, items, 2, ET_VALUE_TENSOR_LIST);
  const int32_t args[3] = {list, out, out};
  et_plan_copy(in, a);
  et_plan_copy(in, b);
  et_writer_call(&et_plan_writer, "sum", args, 3);
  et_plan_refused("instructions[2] reads values[1], but values[2]");
}

static void test_writing_an_external_input_is_refused(void **state) {
  (void)state;
  et_writer_start(&et_plan_writer, 64);
  const int32_t external = et_writer_floats(&et_plan_writer, 4, ET_NOT_PLANNED);
  const int32_t in = et_plan_tensor(0);
  et_writer_input(&et_plan_writer, external);
  et_writer_input(&et_plan_writer, in);
  et_plan_copy(in, external);
  et_plan_refused(
      "instructions[0] writes values[0], which is a constant or an external "
      "input");
}

static void test_value_used_as_two_outs_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t outs[2] = {et_plan_tensor(1), 1};
  const int32_t list =
      et_writer_tensor_list(&et_plan_writer, outs, 2, ET_VALUE_TENSOR_LIST);
  const int32_t args[4] = {in, outs[0], outs[1], list};
  et_writer_call(&et_plan_writer, "pair", args, 4);
  et_plan_refused("instructions[0] writes values[1] twice");
}

static void test_second_call_may_not_overwrite_its_operand(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t out = et_plan_tensor(1);
  et_plan_copy(in, out);
  et_plan_copy(out, out);
  et_plan_refused(
      "instructions[1] writes values[1], which overlaps its operand values[1]");
}

static int32_t bytes_at(int32_t size, int32_t offset) {
  return et_writer_tensor(&et_plan_writer, ET_SCALAR_TYPE_UINT8, size, offset);
}

static void test_overlap_of_one_byte_is_refused(void **state) {
  (void)state;
  for (int32_t size = 1; size <= 2; size++) {
    et_plan_start();
    const int32_t from = bytes_at(size, 16);
    et_writer_input(&et_plan_writer, from);
    et_plan_copy(from, bytes_at(3 - size, 16));
    et_plan_refused(
        "instructions[0] writes values[2], which overlaps its operand "
        "values[1]");
  }
}

static void test_empty_tensors_overlap_nothing(void **state) {
  (void)state;
  for (int32_t size = 0; size <= 4; size += 4) {
    et_plan_start();
    const int32_t from = bytes_at(size, size == 0 ? 18 : 16);
    const int32_t out = bytes_at(4 - size, size == 0 ? 16 : 18);
    et_writer_input(&et_plan_writer, from);
    et_plan_copy(from, out);
    et_plan_accepted();
  }
}

/* 32 calls compare each of 56 outs with 10,056 operands. */
static void test_calls_with_too_many_operands_are_refused(void **state) {
  (void)state;
  enum { OUTS = 56, READS = 10000 };
  static int32_t reads[READS];
  int32_t outs[OUTS];
  et_writer_start(&et_plan_writer, 16 * (OUTS + 1));
  for (int32_t i = 0; i < OUTS; i++) {
    outs[i] = et_writer_floats(&et_plan_writer, 1, 16 * (i + 1));
  }
  const int32_t in = et_writer_floats(&et_plan_writer, 1, 0);
  et_writer_input(&et_plan_writer, in);
  for (size_t i = 0; i < READS; i++) {
    reads[i] = in;
  }
  int32_t args[3];
  args[0] = et_writer_tensor_list(&et_plan_writer, reads, READS,
                                  ET_VALUE_TENSOR_LIST);
  args[1] =
      et_writer_tensor_list(&et_plan_writer, outs, OUTS, ET_VALUE_TENSOR_LIST);
  args[2] = args[1];
  for (size_t i = 0; i < 32; i++) {
    et_writer_call(&et_plan_writer, "merge", args, 3);
  }
  et_test_expect_method_refused(
      et_writer_finish(&et_plan_writer), ET_STATUS_OUT_OF_RESOURCES,
      "instructions[29]: the call has too many operands to compare");
}

/* Exporters remove view operators, so the view is never written. */
static void test_view_of_a_live_value_is_accepted(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t view = et_writer_floats(&et_plan_writer, 2, 16);
  const int32_t out = et_writer_floats(&et_plan_writer, 2, 64);
  et_plan_copy(in, a);
  et_plan_copy(view, out);
  et_writer_output(&et_plan_writer, out);
  et_plan_accepted();
}

static void test_view_across_two_values_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t b = et_plan_tensor(2);
  const int32_t view = et_writer_floats(&et_plan_writer, 4, 24);
  const int32_t out = et_plan_tensor(4);
  et_plan_copy(in, a);
  et_plan_copy(in, b);
  et_plan_copy(view, out);
  et_plan_refused("instructions[2] reads values[3], but values[1]");
}

static void test_view_whose_base_is_overwritten_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t view = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  const int32_t other = et_plan_tensor(1);
  const int32_t last = et_plan_tensor(3);
  et_plan_copy(in, a);
  et_plan_copy(view, out);
  et_plan_copy(in, other);
  et_plan_copy(view, last);
  et_plan_refused("instructions[3] reads values[2], but values[4]");
}

static void test_overwritten_condition_is_refused(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t condition =
      et_writer_tensor(&et_plan_writer, ET_SCALAR_TYPE_BOOL, 1, 16);
  et_writer_input(&et_plan_writer, condition);
  et_plan_copy(in, et_plan_tensor(1));
  et_writer_jump_false(&et_plan_writer, condition, 2);
  et_plan_refused("instructions[1] reads values[1], but values[2] has");
}

static void test_move_writes_its_target(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  const int32_t a = et_plan_tensor(1);
  const int32_t target = et_plan_tensor(1);
  const int32_t out = et_plan_tensor(2);
  et_plan_copy(in, a);
  et_writer_move(&et_plan_writer, in, target);
  et_plan_copy(a, out);
  et_plan_refused("instructions[2] reads values[1], but values[2]");
}

static void test_delegates_read_and_write(void **state) {
  (void)state;
  int32_t args[3];
  args[0] = et_plan_start();
  args[1] = et_plan_tensor(1);
  args[2] = et_plan_tensor(2);
  et_writer_input(&et_plan_writer, args[1]);
  et_writer_delegate(&et_plan_writer, "TestBackend", "x", args, 3);
  et_writer_output(&et_plan_writer, args[2]);
  et_plan_accepted();
  args[0] = et_plan_start();
  args[1] = et_plan_tensor(1);
  args[2] = et_writer_floats(&et_plan_writer, 4, 24);
  et_writer_input(&et_plan_writer, args[1]);
  et_writer_delegate(&et_plan_writer, "TestBackend", "x", args, 3);
  et_plan_refused("instructions[0] writes values[2], which overlaps");
}

/* Fourteen tensors split the buffer into pieces, and one write covers them all.
 * Bytes 16 to 19, which are read first, are state that `out` overwrites. */
static void test_many_writes_fit_the_working_memory(void **state) {
  (void)state;
  const int32_t in = et_plan_start();
  for (int32_t i = 0; i < 14; i++) {
    const int32_t small = et_writer_floats(&et_plan_writer, 1, 32 + 12 * i);
    const int32_t from = et_writer_floats(&et_plan_writer, 1, 16);
    const int32_t args[3] = {from, small, small};
    et_writer_call(&et_plan_writer, "copy", args, 3);
  }
  const int32_t large = et_writer_floats(&et_plan_writer, 48, 64);
  const int32_t out = et_plan_tensor(1);
  const int32_t number = et_writer_int(&et_plan_writer, 1);
  const int32_t fill[3] = {number, large, large};
  et_writer_call(&et_plan_writer, "fill", fill, 3);
  et_plan_copy(in, out);
  et_writer_output(&et_plan_writer, out);
  et_plan_refused("values[2] is persistent");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reading_overwritten_bytes_is_refused),
      cmocka_unit_test(test_partially_overwritten_bytes_are_detected),
      cmocka_unit_test(test_bytes_of_dead_values_may_be_reused),
      cmocka_unit_test(test_overlapping_inputs_are_refused),
      cmocka_unit_test(test_overwritten_output_is_refused),
      cmocka_unit_test(test_out_that_shares_bytes_with_an_operand_is_refused),
      cmocka_unit_test(test_outs_that_share_bytes_are_refused),
      cmocka_unit_test(test_list_items_are_operands),
      cmocka_unit_test(test_writing_an_external_input_is_refused),
      cmocka_unit_test(test_value_used_as_two_outs_is_refused),
      cmocka_unit_test(test_second_call_may_not_overwrite_its_operand),
      cmocka_unit_test(test_overlap_of_one_byte_is_refused),
      cmocka_unit_test(test_empty_tensors_overlap_nothing),
      cmocka_unit_test(test_calls_with_too_many_operands_are_refused),
      cmocka_unit_test(test_view_of_a_live_value_is_accepted),
      cmocka_unit_test(test_view_across_two_values_is_refused),
      cmocka_unit_test(test_view_whose_base_is_overwritten_is_refused),
      cmocka_unit_test(test_overwritten_condition_is_refused),
      cmocka_unit_test(test_move_writes_its_target),
      cmocka_unit_test(test_delegates_read_and_write),
      cmocka_unit_test(test_many_writes_fit_the_working_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
