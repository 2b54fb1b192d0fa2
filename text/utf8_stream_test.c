/* Tests that UTF-8 bytes in arbitrary pieces become complete characters. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */
#include <string.h>

#include "executorch/text/utf8_stream.h"

/* Returns the output for `text`, pushed byte by byte. */
static const char *pushed(const char *text) {
  static char out[128];
  et_utf8_stream state = {0};
  size_t count = 0;
  for (size_t i = 0; i < strlen(text); ++i) {
    count += et_utf8_stream_push(&state, text + i, 1, out + count);
  }
  out[count] = '\0';
  return out;
}

static void test_partial_characters_are_buffered(void **state) {
  (void)state;
  char out[ET_UTF8_STREAM_BYTES(4)];
  et_utf8_stream kept = {0};
  assert_int_equal(et_utf8_stream_push(&kept, "a\xe2\x82", 3, out), 1);
  assert_int_equal(et_utf8_stream_push(&kept,
                                       "\xac"
                                       "b",
                                       2, out),
                   4);
  assert_memory_equal(out,
                      "\xe2\x82\xac"
                      "b",
                      4);
  assert_string_equal(pushed("\xf0\x9f\x99\x82 \xc3\xbc"),
                      "\xf0\x9f\x99\x82 \xc3\xbc");
}

static void test_invalid_characters_are_replaced(void **state) {
  (void)state;
  assert_string_equal(pushed("\xff"
                             "a"),
                      "\xef\xbf\xbd"
                      "a");
  assert_string_equal(pushed("\xe2\x82"
                             "a"),
                      "\xef\xbf\xbd"
                      "a");
  assert_string_equal(pushed("\xe2\xe2\x82\xac"), "\xef\xbf\xbd\xe2\x82\xac");
  assert_string_equal(pushed("\x82"), "\xef\xbf\xbd");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_partial_characters_are_buffered),
      cmocka_unit_test(test_invalid_characters_are_replaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
