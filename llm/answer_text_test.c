/* Tests of stop strings and characters that span tokens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "llm/answer_text.h"

enum { kPiece = 16, kStop = 8 };

typedef struct sample {
  llm_answer_text text;
  char bytes[LLM_ANSWER_TEXT_BYTES(kPiece, kStop)];
  char returned[256];
  size_t size;
} sample;

static void start(sample *s, const char *const *stops, size_t count) {
  memset(s, 0, sizeof *s);
  s->text.bytes = s->bytes;
  llm_answer_text_start(&s->text, stops, count);
}

static bool push(sample *s, const char *piece) {
  size_t size = 0;
  const bool stops =
      llm_answer_text_push(&s->text, piece, strlen(piece), &size);
  memcpy(s->returned + s->size, s->bytes, size);
  s->size += size;
  return stops;
}

static void end(sample *s) {
  size_t size = 0;
  llm_answer_text_end(&s->text, &size);
  memcpy(s->returned + s->size, s->bytes, size);
  s->size += size;
}

static void test_text_without_stops_is_returned_at_once(void **state) {
  (void)state;
  sample s;
  start(&s, NULL, 0);
  assert_false(push(&s, "Hello"));
  assert_string_equal(s.returned, "Hello");
  assert_false(push(&s, " world"));
  assert_string_equal(s.returned, "Hello world");
}

static void test_stop_string_across_pieces_ends_the_text(void **state) {
  (void)state;
  static const char *const kStops[] = {"\nUser:"};
  sample s;
  start(&s, kStops, 1);
  assert_false(push(&s, "Yes.\n"));
  assert_string_equal(s.returned, "Yes.");
  assert_false(push(&s, "Us"));
  assert_string_equal(s.returned, "Yes.");
  assert_true(push(&s, "er: more"));
  assert_string_equal(s.returned, "Yes.");
}

static void test_held_text_is_returned_if_no_stop_string_follows(void **state) {
  (void)state;
  static const char *const kStops[] = {"aab", "xyz"};
  sample s;
  start(&s, kStops, 2);
  assert_false(push(&s, "aa"));
  assert_string_equal(s.returned, "");
  assert_false(push(&s, "a"));
  assert_string_equal(s.returned, "a");
  assert_false(push(&s, "c x"));
  assert_string_equal(s.returned, "aaac ");
  end(&s);
  assert_string_equal(s.returned, "aaac x");
}

static void test_first_of_several_stop_strings_wins(void **state) {
  (void)state;
  static const char *const kStops[] = {"late", "b"};
  sample s;
  start(&s, kStops, 2);
  assert_true(push(&s, "a b late"));
  assert_string_equal(s.returned, "a ");
}

static void test_split_characters_are_returned_whole(void **state) {
  (void)state;
  sample s;
  start(&s, NULL, 0);
  assert_false(push(&s, "\xf0\x9f"));
  assert_int_equal(s.size, 0);
  assert_false(push(&s, "\xa6\x9c\xc3"));
  assert_string_equal(s.returned, "\xf0\x9f\xa6\x9c");
  end(&s);
  assert_string_equal(s.returned, "\xf0\x9f\xa6\x9c");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_without_stops_is_returned_at_once),
      cmocka_unit_test(test_stop_string_across_pieces_ends_the_text),
      cmocka_unit_test(test_held_text_is_returned_if_no_stop_string_follows),
      cmocka_unit_test(test_first_of_several_stop_strings_wins),
      cmocka_unit_test(test_split_characters_are_returned_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
