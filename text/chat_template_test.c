/* Tests of chat templates. Control tokens come only from the template, not from messages. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

#include "executorch/text/chat_template.h"
#include "text/testing_pretokenizers.h"
#include "text/testing_vocabulary.h"

static const et_chat_part kBefore[] = {{"", 0, kEnd}, {"h", 1, -1}};
static const et_chat_part kAfter[] = {{"l", 1, -1}, {"", 0, kEnd}};
static const int64_t kStops[] = {kEnd, 7};

static const et_chat_template kChat = {
    .before = {[ET_CHAT_USER] = {kBefore, 2}},
    .after = {[ET_CHAT_USER] = {kAfter, 2}},
    .answer = {kBefore, 2},
    .stops = kStops,
    .stop_count = 2,
};

static size_t message(const char *text, size_t size, int64_t *tokens,
                      size_t capacity, size_t text_capacity) {
  static char buffer[32];
  static et_bpe_symbol symbols[32];
  const et_bpe_vocabulary vocabulary = et_testing_vocabulary(kGpt2);
  const et_chat_work work = {buffer, text_capacity, symbols, 32};
  return et_chat_message(&kChat, &vocabulary, ET_CHAT_USER, text, size, tokens,
                         capacity, &work);
}

static void test_message_text_merges_with_template_text(void **state) {
  (void)state;
  int64_t tokens[8];
  assert_int_equal(message("el", 2, tokens, 8, 32), 3);
  assert_int_equal(tokens[0], kEnd);
  assert_int_equal(tokens[1], kHell);
  assert_int_equal(tokens[2], kEnd);
}

static void test_token_names_in_messages_are_plain_text(void **state) {
  (void)state;
  int64_t tokens[16];
  const size_t count = message("<end>", 5, tokens, 16, 32);
  assert_int_equal(count, 9);
  for (size_t i = 1; i + 1 < count; ++i) {
    assert_int_not_equal(tokens[i], kEnd);
  }
}

static void test_too_long_conversation_is_reported(void **state) {
  (void)state;
  int64_t tokens[4] = {0, 0, 0, -7};
  assert_int_equal(message("el", 2, tokens, 2, 32), ET_CHAT_TOO_LONG);
  assert_int_equal(message("elelel", 6, tokens, 3, 32), ET_CHAT_TOO_LONG);
  assert_int_equal(message("elelel", 6, tokens, 3, 4), ET_CHAT_TOO_LONG);
  assert_int_equal(tokens[3], -7);
}

static void test_chat_template_has_parts_and_stop_tokens(void **state) {
  (void)state;
  char buffer[8];
  et_bpe_symbol symbols[8];
  const et_bpe_vocabulary vocabulary = et_testing_vocabulary(kGpt2);
  const et_chat_work work = {buffer, sizeof buffer, symbols, 8};
  int64_t tokens[4];
  assert_int_equal(
      et_chat_parts_tokens(&kChat.answer, &vocabulary, tokens, 4, &work), 2);
  assert_int_equal(tokens[1], 'h');
  assert_true(et_chat_is_stop(&kChat, kEnd));
  assert_false(et_chat_is_stop(&kChat, 'h'));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_message_text_merges_with_template_text),
      cmocka_unit_test(test_token_names_in_messages_are_plain_text),
      cmocka_unit_test(test_too_long_conversation_is_reported),
      cmocka_unit_test(test_chat_template_has_parts_and_stop_tokens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
