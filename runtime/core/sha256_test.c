/* Tests SHA-256 with the standard's examples, hashed in chunks of several
 * sizes. */
#include "runtime/core/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *data, size_t size, size_t part,
                   const char *expected) {
  et_sha256 hash;
  uint8_t digest[ET_SHA256_BYTES];
  char text[2 * ET_SHA256_BYTES + 1];
  et_sha256_start(&hash);
  for (size_t at = 0; at < size; at += part) {
    et_sha256_add(&hash, data + at, size - at < part ? size - at : part);
  }
  et_sha256_finish(&hash, digest);
  for (size_t i = 0; i < ET_SHA256_BYTES; i++) {
    snprintf(text + 2 * i, 3, "%02x", digest[i]);
  }
  assert_string_equal(text, expected);
}

static void test_sha256_digests_match_the_standard(void **state) {
  (void)state;
  expect("", 0, 1,
         "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect("abc", 3, 3,
         "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, 56,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

static void test_sha256_is_independent_of_chunk_sizes(void **state) {
  (void)state;
  char text[1000];
  memset(text, 'a', sizeof text);
  for (size_t part = 1; part <= sizeof text; part++) {
    expect(text, sizeof text, part,
           "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sha256_digests_match_the_standard),
      cmocka_unit_test(test_sha256_is_independent_of_chunk_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
