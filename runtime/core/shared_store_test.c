/* Tests that each entry of a shared store is created once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "executorch/shared_store.h"

static _Alignas(64) uint8_t memory[1024];
static const et_string KEY = {"weight", 6};
static int fills;

static et_status fill(void *context, et_mutable_span bytes, et_error *error) {
  const uint8_t *byte = context;
  assert_int_equal((uintptr_t)bytes.data % 64, 0);
  memset(bytes.data, *byte, bytes.size);
  fills++;
  return *byte != 0 ? ET_STATUS_OK
                    : et_fail(error, ET_STATUS_INTERNAL, "no zeros");
}

static et_shared_store store_of(size_t size) {
  const et_mutable_span span = {memory, size};
  fills = 0;
  return et_shared_store_over(span);
}

static et_status get(et_shared_store *store, const char *owner, et_string key,
                     size_t size, uint8_t byte, et_span *out_bytes,
                     et_error *error) {
  et_error_clear(error);
  return et_shared_store_get(store, owner, key, size, fill, &byte, out_bytes,
                             error);
}

static void test_shared_entry_is_created_once(void **state) {
  (void)state;
  et_shared_store store = store_of(sizeof memory);
  et_span first;
  et_span second;
  char name[] = "weight"; /* the key is copied */
  const et_string key = {name, 6};
  assert_int_equal(get(&store, "A", key, 40, 7, &first, NULL), ET_STATUS_OK);
  name[0] = 'x';
  assert_int_equal(get(&store, "A", KEY, 40, 8, &second, NULL), ET_STATUS_OK);
  assert_int_equal(fills, 1);
  assert_ptr_equal(first.data, second.data);
  assert_int_equal(second.size, 40);
  assert_int_equal(second.data[39], 7);
}

static void test_size_of_an_entry_includes_its_data_once(void **state) {
  (void)state;
  assert_int_equal(et_shared_store_bytes(KEY, 640),
                   et_shared_store_bytes(KEY, 64) + 576);
}

static void test_shared_entries_are_keyed_by_owner_and_key(void **state) {
  (void)state;
  et_shared_store store = store_of(sizeof memory);
  const et_string other = {"weighs", 6};
  const et_string shorter = {"weigh", 5};
  const et_string none = {NULL, 0};
  et_span bytes[5];
  get(&store, "A", KEY, 8, 1, &bytes[0], NULL);
  get(&store, "B", KEY, 8, 2, &bytes[1], NULL);
  get(&store, "A", other, 8, 3, &bytes[2], NULL);
  get(&store, "A", shorter, 8, 4, &bytes[3], NULL);
  get(&store, "A", none, 8, 5, &bytes[4], NULL);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(bytes[i].data[0], i + 1);
  }
}

static void test_shared_entry_has_the_requested_size(void **state) {
  (void)state;
  const size_t needed = et_shared_store_bytes(KEY, 100);
  et_span bytes;
  et_error error;
  assert_int_equal(needed % 64, 0);
  for (size_t size = 0; size < needed; size++) {
    et_shared_store store = store_of(size);
    assert_int_equal(get(&store, "A", KEY, 100, 1, &bytes, &error),
                     ET_STATUS_MEMORY_TOO_SMALL);
    assert_non_null(strstr(error.message, "bytes left, but needs"));
    assert_int_equal(fills, 0);
  }
  et_shared_store store = store_of(needed);
  assert_int_equal(get(&store, "A", KEY, 100, 1, &bytes, NULL), ET_STATUS_OK);
  assert_int_equal(et_shared_store_bytes(KEY, SIZE_MAX), SIZE_MAX);
}

static void test_shared_store_without_memory_is_full(void **state) {
  (void)state;
  const et_mutable_span none = {NULL, 0};
  et_shared_store store = et_shared_store_over(none);
  et_span bytes;
  assert_int_equal(get(&store, "A", KEY, 1, 1, &bytes, NULL),
                   ET_STATUS_MEMORY_TOO_SMALL);
}

static void test_failed_shared_entry_is_not_stored(void **state) {
  (void)state;
  et_shared_store store = store_of(et_shared_store_bytes(KEY, 16));
  et_span bytes;
  assert_int_equal(get(&store, "A", KEY, 16, 0, &bytes, NULL),
                   ET_STATUS_INTERNAL);
  assert_int_equal(get(&store, "A", KEY, 16, 9, &bytes, NULL), ET_STATUS_OK);
  assert_int_equal(bytes.data[0], 9);
}

static void test_shared_entry_of_another_size_is_refused(void **state) {
  (void)state;
  et_shared_store store = store_of(sizeof memory);
  et_span bytes;
  et_error error;
  get(&store, "A", KEY, 16, 1, &bytes, NULL);
  assert_int_equal(get(&store, "A", KEY, 17, 1, &bytes, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(
      error.message,
      "A requests 17 bytes, but the entry of the shared store has 16; "
      "use another key");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shared_entry_is_created_once),
      cmocka_unit_test(test_size_of_an_entry_includes_its_data_once),
      cmocka_unit_test(test_shared_entries_are_keyed_by_owner_and_key),
      cmocka_unit_test(test_shared_entry_has_the_requested_size),
      cmocka_unit_test(test_shared_store_without_memory_is_full),
      cmocka_unit_test(test_failed_shared_entry_is_not_stored),
      cmocka_unit_test(test_shared_entry_of_another_size_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
