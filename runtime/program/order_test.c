/* Tests that elements stored in any order are visited in sorted order. */
#include "runtime/program/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "runtime/core/limits.h"

#define MAX_COUNT (ET_LIMIT_UNSORTED + 1)

/* The elements, and those visited so far. */
typedef struct numbers {
  uint32_t items[MAX_COUNT];
  uint32_t visited[MAX_COUNT];
  uint32_t visited_count;
  uint32_t stop_at; /* after this many visits */
  uint32_t count;
} numbers;

static numbers n;

static int compare(void *context, uint32_t a, uint32_t b) {
  const numbers *of = context;
  assert_true(a < of->count && b < of->count);
  return (of->items[a] > of->items[b]) - (of->items[a] < of->items[b]);
}

static et_status visit(void *context, uint32_t index, et_error *error) {
  numbers *of = context;
  of->visited[of->visited_count++] = index;
  return of->visited_count == of->stop_at
             ? et_fail(error, ET_STATUS_INVALID_PROGRAM, "stopped")
             : ET_STATUS_OK;
}

static et_status walk(uint32_t count, et_error *error) {
  const et_order order = {"numbers", compare, visit, &n};
  n.visited_count = 0;
  n.count = count;
  et_error_clear(error);
  return et_order_walk(&order, count, error);
}

/* Expects all elements in ascending order, equal ones ordered by index. */
static void expect_in_order(uint32_t count) {
  assert_int_equal(n.visited_count, count);
  for (uint32_t i = 1; i < count; i++) {
    const uint32_t before = n.visited[i - 1];
    const uint32_t now = n.visited[i];
    assert_true(n.items[before] < n.items[now] ||
                (n.items[before] == n.items[now] && before < now));
  }
}

static void test_few_elements_are_sorted_from_every_order(void **state) {
  (void)state;
  et_error error;
  /* Tests all 4^6 sequences of six values below four, with ties and runs. */
  for (uint32_t choice = 0; choice < 4096; choice++) {
    for (uint32_t i = 0; i < 6; i++) {
      n.items[i] = choice >> 2 * i & 3u;
    }
    for (uint32_t count = 0; count <= 6; count++) {
      assert_int_equal(walk(count, &error), ET_STATUS_OK);
      expect_in_order(count);
    }
  }
}

static void fill_descending(uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    n.items[i] = count - i;
  }
}

static void test_maximum_element_count_is_sorted(void **state) {
  (void)state;
  et_error error;
  fill_descending(ET_LIMIT_UNSORTED);
  assert_int_equal(walk(ET_LIMIT_UNSORTED, &error), ET_STATUS_OK);
  expect_in_order(ET_LIMIT_UNSORTED);
}

static void test_more_elements_must_already_be_sorted(void **state) {
  (void)state;
  et_error error;
  fill_descending(MAX_COUNT);
  assert_int_equal(walk(MAX_COUNT, &error), ET_STATUS_INVALID_PROGRAM);
  assert_string_equal(error.message,
                      "4097 unsorted numbers exceed the limit of 4096");
  for (uint32_t i = 0; i < MAX_COUNT; i++) {
    n.items[i] = i / 2;
  }
  assert_int_equal(walk(MAX_COUNT, &error), ET_STATUS_OK);
  expect_in_order(MAX_COUNT);
}

static void test_failed_visit_ends_the_walk(void **state) {
  (void)state;
  et_error error;
  n.stop_at = 3;
  for (uint32_t sorted = 0; sorted < 2; sorted++) {
    for (uint32_t i = 0; i < 5; i++) {
      n.items[i] = sorted ? i : 5 - i;
    }
    assert_int_equal(walk(5, &error), ET_STATUS_INVALID_PROGRAM);
    assert_int_equal(n.visited_count, 3);
    assert_string_equal(error.message, "stopped");
  }
  n.stop_at = 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_few_elements_are_sorted_from_every_order),
      cmocka_unit_test(test_maximum_element_count_is_sorted),
      cmocka_unit_test(test_more_elements_must_already_be_sorted),
      cmocka_unit_test(test_failed_visit_ends_the_walk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
