/* Tests that requests for large pages keep the contents, accept any size, and
 * concern only complete pages. */
#if defined(__linux__)
#define _GNU_SOURCE /* madvise, syscall */
#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__linux__)
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "runtime/extension/large_memory.h"

#define MEBIBYTE ((size_t)1 << 20)

static uint8_t byte_at(size_t i) { return (uint8_t)(i / 4096 + i % 251); }

/* Writes all bytes and checks them. */
static void use(uint8_t *data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    data[i] = byte_at(i);
  }
  for (size_t i = 0; i < size; i++) {
    assert_int_equal(data[i], byte_at(i));
  }
}

static void test_memory_of_any_size_and_address_is_usable(void **state) {
  (void)state;
  const size_t sizes[] = {0, 1, 4096, 2 * MEBIBYTE, 9 * MEBIBYTE + 17};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    for (size_t skip = 0; skip < 128; skip += 64) {
      uint8_t *allocation = malloc(sizes[i] + skip + 1);
      assert_non_null(allocation);
      et_request_large_pages(allocation + skip, sizes[i]);
      use(allocation + skip, sizes[i]);
      free(allocation);
    }
  }
}

static void test_existing_memory_contents_are_preserved(void **state) {
  (void)state;
  const size_t size = 6 * MEBIBYTE;
  uint8_t *data = malloc(size);
  assert_non_null(data);
  for (size_t i = 0; i < size; i++) {
    data[i] = byte_at(i);
  }
  et_request_large_pages(data, size);
  for (size_t i = 0; i < size; i++) {
    assert_int_equal(data[i], byte_at(i));
  }
  free(data);
}

static void test_large_memory_is_aligned_to_a_large_page(void **state) {
  (void)state;
  const size_t large = et_large_page_of(64 * MEBIBYTE);
  assert_int_equal(et_large_page_of(0), 0);
  assert_int_equal(et_large_page_of(MEBIBYTE), 0);
  assert_int_equal(large & (large - 1), 0);
  assert_true(large == 0 || large > MEBIBYTE);
}

#if defined(MADV_HUGEPAGE)
/* The last range of a request, or 0. */
static uintptr_t advised;
static size_t advised_bytes;

/* Replaces the C library's function. */
int madvise(void *data, size_t size, int advice) {
  advised = (uintptr_t)data;
  advised_bytes = size;
  assert_int_equal(advice, MADV_HUGEPAGE);
  return (int)syscall(SYS_madvise, data, size, advice);
}

/* Requests large pages for memory that need not exist, and checks the range.
 * No range has 0 bytes. */
static void expect_advice(size_t start, size_t size, size_t from,
                          size_t bytes) {
  const uintptr_t base = (uintptr_t)64 * MEBIBYTE;
  advised = advised_bytes = 0;
  et_request_large_pages((void *)(base + start), size);
  assert_int_equal(advised_bytes, bytes);
  assert_int_equal(advised, bytes != 0 ? base + from : 0);
}

static void test_only_complete_large_pages_are_requested(void **state) {
  (void)state;
  const size_t page = 2 * MEBIBYTE;
  expect_advice(0, page, 0, page);
  expect_advice(0, page - 1, 0, 0);
  expect_advice(4096, 3 * page, page, 2 * page);
  expect_advice(4096, 2 * page - 4096, page, page);
  expect_advice(4096, 2 * page - 4097, 0, 0);
  expect_advice(page - 64, page, 0, 0);
}

static void test_memory_of_one_large_page_is_aligned(void **state) {
  (void)state;
  assert_int_equal(et_large_page_of(2 * MEBIBYTE), 2 * MEBIBYTE);
  assert_int_equal(et_large_page_of(2 * MEBIBYTE - 1), 0);
}
#endif

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_of_any_size_and_address_is_usable),
      cmocka_unit_test(test_existing_memory_contents_are_preserved),
      cmocka_unit_test(test_large_memory_is_aligned_to_a_large_page),
#if defined(MADV_HUGEPAGE)
      cmocka_unit_test(test_only_complete_large_pages_are_requested),
      cmocka_unit_test(test_memory_of_one_large_page_is_aligned),
#endif
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
