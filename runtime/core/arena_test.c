#include "executorch/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "executorch/checked.h"

static void test_measured_size_equals_allocated_size(void **state) {
  (void)state;
  _Alignas(64) uint8_t bytes[128];
  const et_mutable_span memory = {bytes, sizeof bytes};
  et_arena arenas[2] = {et_arena_measuring(), et_arena_over(memory)};
  for (size_t i = 0; i < 2; i++) {
    void *first = NULL;
    void *second = NULL;
    assert_true(et_arena_take(&arenas[i], 3, 1, 1, &first));
    assert_true(et_arena_take(&arenas[i], 2, 16, 16, &second));
    assert_int_equal(arenas[i].used, 48);
    assert_ptr_equal(second, i == 0 ? NULL : bytes + 16);
  }
}

/* CVE-2025-30404: integer overflow in the size of an allocation. */
static void test_arena_arithmetic_never_wraps(void **state) {
  (void)state;
  et_arena arena = et_arena_measuring();
  void *out = NULL;
  assert_true(et_arena_take(&arena, 1, 5, 1, &out));
  assert_false(et_arena_take(&arena, SIZE_MAX / 2 + 1, 2, 1, &out));
  assert_false(et_arena_take(&arena, SIZE_MAX, 1, 1, &out));
  assert_false(et_arena_take(&arena, 1, SIZE_MAX - 4, 1, &out));
  assert_false(et_arena_take(&arena, 1, 1, 0, &out));
  assert_false(et_arena_take(&arena, 1, 1, 3, &out));
  assert_int_equal(arena.used, 5);
}

static void test_zero_byte_allocation_succeeds(void **state) {
  (void)state;
  uint8_t byte = 0;
  const et_mutable_span memory = {&byte, 1};
  et_arena arena = et_arena_over(memory);
  void *out = NULL;
  assert_true(et_arena_take(&arena, 0, 8, 1, &out));
  assert_ptr_equal(out, &byte);
  assert_true(et_arena_take(&arena, 1, 1, 1, &out));
  assert_false(et_arena_take(&arena, 1, 1, 1, &out));
}

static void test_checked_arithmetic_reports_overflow(void **state) {
  (void)state;
  size_t out = 7;
  assert_false(et_checked_add(SIZE_MAX, 1, &out));
  assert_false(et_checked_mul(SIZE_MAX, 2, &out));
  assert_false(et_checked_align(SIZE_MAX, 2, &out));
  assert_int_equal(out, 7);
  assert_true(et_checked_mul(0, SIZE_MAX, &out) && out == 0);
  assert_true(et_checked_align(17, 16, &out) && out == 32);
}

static void test_range_check_rejects_offsets_that_wrap(void **state) {
  (void)state;
  assert_true(et_range_in(4, 4, 8));
  assert_true(et_range_in(8, 0, 8));
  assert_false(et_range_in(9, 0, 8));
  assert_false(et_range_in(UINT64_MAX, 2, 8));
  assert_false(et_range_in(2, UINT64_MAX, 8));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_measured_size_equals_allocated_size),
      cmocka_unit_test(test_arena_arithmetic_never_wraps),
      cmocka_unit_test(test_zero_byte_allocation_succeeds),
      cmocka_unit_test(test_checked_arithmetic_reports_overflow),
      cmocka_unit_test(test_range_check_rejects_offsets_that_wrap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
