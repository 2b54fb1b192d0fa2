/* Tests that programs for known ExecuTorch vulnerabilities are rejected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "executorch/value.h"
#include "runtime/program/schema.h"
#include "runtime/testing/program_test_support.h"

static et_program_writer writer;

static void expect_refused(const char *part) {
  et_test_expect_method_refused(et_writer_finish(&writer),
                                ET_STATUS_INVALID_PROGRAM, part);
}

/* A prim operator is called with fewer arguments than it reads. */
static void test_cve_2025_54950_prim_operator_arity_is_checked(void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  const int32_t op =
      et_writer_operator(&writer, "executorch_prim::et_view", "default");
  const int32_t args[1] = {0};
  et_writer_call_operator(&writer, op, args, 1);
  expect_refused(
      "instructions[1] executorch_prim::et_view.default: 1 args, "
      "expected 3");
}

/* A rank above the size of the arrays that dims index. */
static void test_cve_2025_54951_rank_above_the_limit_is_refused(void **state) {
  (void)state;
  const int32_t sizes[1000] = {0};
  const uint8_t order[1000] = {0};
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 1, 0);
  const size_t tensor = writer.last_table;
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_SIZES,
              et_fb_add_vector(&writer.buffer, sizes, 1000, sizeof *sizes));
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_DIM_ORDER,
              et_fb_add_vector(&writer.buffer, order, 1000, 1));
  expect_refused("1000 sizes exceed the limit of 16");
}

/* A list whose size in bytes overflows. */
static void test_cve_2025_54952_list_size_overflow_is_refused(void **state) {
  (void)state;
  const uint32_t counts[] = {0x20000000, 0x40000000, 0xFFFFFFFF};
  const int64_t item = 0;
  for (size_t i = 0; i < 3; i++) {
    et_test_write_copy(&writer, 4);
    et_writer_int_list(&writer, &item, 1);
    et_fb_put_u32(&writer.buffer, writer.buffer.size - 12, counts[i]);
    expect_refused("values[2].val.items: the vector is outside the file");
  }
}

/* Sizes whose byte count wraps around to a small value. */
static void test_cve_2025_30402_nbytes_overflow_is_refused(void **state) {
  (void)state;
  const int32_t sizes[4] = {1 << 16, 1 << 16, 1 << 16, 1 << 16};
  const uint8_t order[4] = {0, 1, 2, 3};
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 1, 0);
  const size_t tensor = writer.last_table;
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_SIZES,
              et_fb_add_vector(&writer.buffer, sizes, 4, sizeof *sizes));
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_DIM_ORDER,
              et_fb_add_vector(&writer.buffer, order, 4, 1));
  expect_refused("values[2]: the stride of dim");
}

/* An offset in planned memory that wraps around to the start of the buffer. */
static void test_cve_2025_30405_planned_offset_overflow_is_refused(
    void **state) {
  (void)state;
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 4, -16);
  expect_refused("values[2]: 16 bytes at 4294967280 exceed");
  et_test_write_copy(&writer, 4);
  et_writer_floats(&writer, 4, ET_NOT_PLANNED);
  const size_t tensor = writer.last_table;
  const size_t allocation = et_fb_add_table(&writer.buffer, 3);
  et_fb_refer(&writer.buffer, tensor, ET_TENSOR_ALLOCATION, allocation);
  et_fb_set_i32(&writer.buffer, allocation, ET_ALLOCATION_MEMORY_ID, 1);
  et_fb_set_i32(&writer.buffer, allocation, ET_ALLOCATION_OFFSET_LOW, -16);
  et_fb_set_i32(&writer.buffer, allocation, ET_ALLOCATION_OFFSET_HIGH, -1);
  expect_refused("values[2]: 16 bytes at 18446744073709551600 exceed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cve_2025_54950_prim_operator_arity_is_checked),
      cmocka_unit_test(test_cve_2025_54951_rank_above_the_limit_is_refused),
      cmocka_unit_test(test_cve_2025_54952_list_size_overflow_is_refused),
      cmocka_unit_test(test_cve_2025_30402_nbytes_overflow_is_refused),
      cmocka_unit_test(test_cve_2025_30405_planned_offset_overflow_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
