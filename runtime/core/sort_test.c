/* Tests sorting of all short lists, and of a long one. */
#include "runtime/core/sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define MAX_COUNT 1000

static bool comes_before(void *context, size_t a, size_t b) {
  const uint32_t *numbers = context;
  return numbers[a] < numbers[b];
}

static void swap(void *context, size_t a, size_t b) {
  uint32_t *numbers = context;
  const uint32_t first = numbers[a];
  numbers[a] = numbers[b];
  numbers[b] = first;
}

/* Sorts, and checks the order and the items. The element after the list must
 * not change. */
static void expect_sorted(uint32_t *numbers, size_t count) {
  const et_sort_items items = {numbers, comes_before, swap};
  uint32_t sum = 0;
  uint32_t sum_after = 0;
  for (size_t i = 0; i < count; i++) {
    sum += numbers[i] * numbers[i];
  }
  numbers[count] = 7;
  et_sort(&items, count);
  assert_int_equal(numbers[count], 7);
  for (size_t i = 0; i < count; i++) {
    sum_after += numbers[i] * numbers[i];
    assert_true(i == 0 || numbers[i - 1] <= numbers[i]);
  }
  assert_int_equal(sum_after, sum);
}

static void test_every_short_list_is_sorted(void **state) {
  (void)state;
  uint32_t numbers[7];
  for (uint32_t choice = 0; choice < 4096; choice++) {
    for (size_t count = 0; count <= 6; count++) {
      for (uint32_t i = 0; i < 6; i++) {
        numbers[i] = choice >> 2 * i & 3u;
      }
      expect_sorted(numbers, count);
    }
  }
}

static void test_long_list_is_sorted(void **state) {
  (void)state;
  uint32_t numbers[MAX_COUNT + 1];
  uint32_t next = 1;
  for (size_t i = 0; i < MAX_COUNT; i++) {
    next = next * 1103515245u + 12345u;
    numbers[i] = next >> 16;
  }
  expect_sorted(numbers, MAX_COUNT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_short_list_is_sorted),
      cmocka_unit_test(test_long_list_is_sorted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
