/* Tests of chat templates. Control tokens come only from the template, not from messages. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */

#include <string.h>

#include "executorch/text/chat_template.h"
#include "text/testing_pretokenizers.h"
#include "text/testing_vocabulary.h"

enum { kSize = 256 };

static const et_chat_part kEndPart[] = {{"", 0, kEnd}};
static const et_chat_part kBefore[] = {{"", 0, kEnd}, {"h", 1, -1}};
static const et_chat_part kAfter[] = {{"l", 1, -1}, {"", 0, kEnd}};
static const et_chat_part kH[] = {{"h", 1, -1}};
static const int64_t kStops[] = {kEnd, 7};

static const et_chat_template kChat = {
    .formats = {[ET_CHAT_USER] = {.before = {kBefore, 2},
                                  .after = {kAfter, 2}}},
    .opening = {kEndPart, 1},
    .answer = {kBefore, 2},
    .stops = kStops,
    .stop_count = 2,
    .has_system = true,
};

/* Returns a message of `text`, which ends with NUL. */
static et_chat_message message(et_chat_role role, const char *text) {
  const et_chat_message made = {role, text, strlen(text)};
  return made;
}

static size_t tokens_of(const et_chat_template *chat,
                        const et_chat_request *request, int64_t *tokens,
                        size_t capacity, size_t text_capacity) {
  static char buffer[kSize];
  static et_bpe_symbol symbols[kSize];
  const et_bpe_vocabulary vocabulary = et_testing_vocabulary(kGpt2);
  const et_chat_work work = {buffer, text_capacity, symbols, kSize};
  return et_chat_tokens(chat, &vocabulary, request, tokens, capacity, &work);
}

/* Converts one user message after others. */
static size_t user_tokens(const char *text, int64_t *tokens, size_t capacity,
                          size_t text_capacity) {
  const et_chat_message user = message(ET_CHAT_USER, text);
  const et_chat_request request = {&user, 1, ET_CHAT_APPEND, false};
  return tokens_of(&kChat, &request, tokens, capacity, text_capacity);
}

/* Checks the text of tokens; kEnd is "|". */
static void expect_text(const et_chat_template *chat,
                        const et_chat_request *request, const char *expected) {
  const et_bpe_vocabulary vocabulary = et_testing_vocabulary(kGpt2);
  int64_t tokens[kSize];
  char text[kSize] = "";
  const size_t count = tokens_of(chat, request, tokens, kSize, kSize);
  assert_int_not_equal(count, ET_CHAT_TOO_LONG);
  for (size_t i = 0; i < count; ++i) {
    size_t size = 0;
    const char *piece = et_bpe_piece(&vocabulary, tokens[i], &size);
    strncat(text, tokens[i] == kEnd ? "|" : piece,
            tokens[i] == kEnd ? 1 : size);
  }
  assert_string_equal(text, expected);
}

static void test_message_text_merges_with_template_text(void **state) {
  (void)state;
  int64_t tokens[8];
  assert_int_equal(user_tokens("el", tokens, 8, 32), 3);
  assert_int_equal(tokens[0], kEnd);
  assert_int_equal(tokens[1], kHell);
  assert_int_equal(tokens[2], kEnd);
}

static void test_token_names_in_messages_are_plain_text(void **state) {
  (void)state;
  int64_t tokens[16];
  const size_t count = user_tokens("<end>", tokens, 16, 32);
  assert_int_equal(count, 9);
  for (size_t i = 1; i + 1 < count; ++i) {
    assert_int_not_equal(tokens[i], kEnd);
  }
}

static void test_too_long_conversation_is_reported(void **state) {
  (void)state;
  int64_t tokens[4] = {0, 0, 0, -7};
  assert_int_equal(user_tokens("el", tokens, 2, 32), ET_CHAT_TOO_LONG);
  assert_int_equal(user_tokens("elelel", tokens, 3, 32), ET_CHAT_TOO_LONG);
  assert_int_equal(user_tokens("elelel", tokens, 3, 4), ET_CHAT_TOO_LONG);
  assert_int_equal(tokens[3], -7);
}

static void test_conversation_has_opening_answer_and_stop_tokens(void **state) {
  (void)state;
  const et_chat_message user = message(ET_CHAT_USER, "o");
  const et_chat_request whole = {&user, 1, ET_CHAT_BEGIN, true};
  const et_chat_request opening = {NULL, 0, ET_CHAT_BEGIN, false};
  expect_text(&kChat, &whole, "||hol||h");
  expect_text(&kChat, &opening, "|");
  assert_true(et_chat_is_stop(&kChat, kEnd));
  assert_false(et_chat_is_stop(&kChat, 'h'));
}

/* A system message joins the user message after it, and roles alternate. */
static et_chat_template joined_template(void) {
  static const et_chat_part newline[] = {{"\n", 1, -1}};
  static const et_chat_part user_end[] = {{"]", 1, -1}};
  static const et_chat_part answer_end[] = {{" ", 1, -1}, {"", 0, kEnd}};
  const et_chat_template chat = {
      .formats =
          {
              [ET_CHAT_SYSTEM] = {.before = {kEndPart, 1},
                                  .after = {newline, 1}},
              [ET_CHAT_USER] = {{kEndPart, 1},
                                {user_end, 1},
                                ET_CHAT_TRIM_SPACES,
                                ET_CHAT_TRIM_SPACES,
                                false},
              [ET_CHAT_ASSISTANT] = {.after = {answer_end, 2},
                                     .start = ET_CHAT_TRIM_NEWLINES},
              [ET_CHAT_FIRST_USER] = {{NULL, 0},
                                      {user_end, 1},
                                      ET_CHAT_KEEP,
                                      ET_CHAT_TRIM_SPACES,
                                      true},
          },
      .has_system = true,
      .alternates = true,
      .ends_with_user = true,
      .drops_thoughts = true,
      .thought = ET_CHAT_TRIM_NEWLINES,
  };
  return chat;
}

static void test_formats_are_those_of_the_conversation(void **state) {
  (void)state;
  const et_chat_template chat = joined_template();
  const et_chat_message messages[] = {
      message(ET_CHAT_SYSTEM, " s "),
      message(ET_CHAT_USER, " \nu \xe3\x80\x80\t\xc2\xa0\n"),
      message(ET_CHAT_ASSISTANT, "\n a\n"),
      message(ET_CHAT_USER, "\xe2\x80\xa8\x1f v\xc3\xa9\r\n"),
  };
  const et_chat_request whole = {messages, 4, ET_CHAT_BEGIN, true};
  const et_chat_request without = {messages + 1, 1, ET_CHAT_BEGIN, true};
  expect_text(&chat, &whole, "| s \n \nu] a\n ||v\xc3\xa9]");
  expect_text(&chat, &without, "|u]");
}

static void test_trimming_keeps_invalid_characters(void **state) {
  (void)state;
  const et_chat_template chat = joined_template();
  const et_chat_message messages[] = {
      message(ET_CHAT_USER, " \x80\x80\x80\x80\xa0 "),
      message(ET_CHAT_ASSISTANT, ""),
      message(ET_CHAT_USER, " \n "),
      {ET_CHAT_ASSISTANT, NULL, 0},
  };
  const et_chat_request request = {messages, 4, ET_CHAT_BEGIN, false};
  expect_text(&chat, &request, "|\x80\x80\x80\x80\xa0] ||] |");
}

static void test_thoughts_of_answers_are_dropped(void **state) {
  (void)state;
  const et_chat_template chat = joined_template();
  const et_chat_message messages[] = {
      message(ET_CHAT_USER, "</think>u"),
      message(ET_CHAT_ASSISTANT, "<think>\n</think>b</think>\n\n a"),
      message(ET_CHAT_USER, "v"),
      message(ET_CHAT_ASSISTANT, "</think"),
  };
  const et_chat_request request = {messages, 4, ET_CHAT_BEGIN, false};
  expect_text(&chat, &request, "|</think>u] a ||v]</think |");
}

static void test_text_of_several_messages_is_encoded_as_a_whole(void **state) {
  (void)state;
  et_chat_template chat = joined_template();
  chat.formats[ET_CHAT_SYSTEM].after.count = 0;
  const et_chat_message messages[] = {message(ET_CHAT_SYSTEM, "he"),
                                      message(ET_CHAT_USER, "ll")};
  const et_chat_request request = {messages, 2, ET_CHAT_BEGIN, false};
  int64_t tokens[8];
  assert_int_equal(tokens_of(&chat, &request, tokens, 8, 32), 3);
  assert_int_equal(tokens[1], kHell);
  /* They do not fit together in 3 bytes. */
  assert_int_equal(tokens_of(&chat, &request, tokens, 8, 3), 4);
  assert_int_equal(tokens[1], kHe);
  assert_int_equal(tokens[2], kLl);
}

static void test_messages_after_an_answer_end_it_first(void **state) {
  (void)state;
  const et_chat_template chat = joined_template();
  const et_chat_message user = message(ET_CHAT_USER, "u");
  const et_chat_request after = {&user, 1, ET_CHAT_AFTER_ANSWER, true};
  const et_chat_request appended = {&user, 1, ET_CHAT_APPEND, true};
  expect_text(&chat, &after, " ||u]");
  expect_text(&chat, &appended, "|u]");
}

/* The prefix is added to text of vocabularies with characters only. */
static void test_space_is_added_only_where_text_starts(void **state) {
  (void)state;
  const et_chat_message user = message(ET_CHAT_USER, "l");
  const et_chat_template chat = {
      .formats = {[ET_CHAT_USER] = {.before = {kH, 1}, .after = {kEndPart, 1}},
                  [ET_CHAT_ASSISTANT] = {.after = {kH, 1}}},
      .answer = {kH, 1}};
  static const struct {
    et_bpe_prefix prefix;
    et_chat_start start;
    size_t spaces;
  } cases[] = {
      {ET_BPE_NO_PREFIX, ET_CHAT_BEGIN, 0},
      {ET_BPE_PREFIX_TEXT, ET_CHAT_BEGIN, 1},
      {ET_BPE_PREFIX_PARTS, ET_CHAT_BEGIN, 2},
      {ET_BPE_PREFIX_TEXT, ET_CHAT_APPEND, 0},
      {ET_BPE_PREFIX_TEXT, ET_CHAT_AFTER_ANSWER, 0},
      {ET_BPE_PREFIX_PARTS, ET_CHAT_AFTER_ANSWER, 1},
  };
  char buffer[kSize];
  et_bpe_symbol symbols[kSize];
  const et_chat_work work = {buffer, kSize, symbols, kSize};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    et_bpe_vocabulary vocabulary = et_testing_vocabulary(kGpt2);
    int64_t tokens[16];
    size_t spaces = 0;
    vocabulary.initial = ET_BPE_CHARACTERS;
    vocabulary.prefix = cases[i].prefix;
    const et_chat_request request = {&user, 1, cases[i].start, true};
    const size_t count =
        et_chat_tokens(&chat, &vocabulary, &request, tokens, 16, &work);
    for (size_t t = 0; t < count; ++t) {
      spaces += tokens[t] == ' ';
    }
    assert_int_equal(spaces, cases[i].spaces);
  }
}

static void expect_reason(const et_chat_template *chat,
                          const et_chat_message *messages, size_t count,
                          et_chat_start start, size_t index,
                          const char *expected) {
  const et_chat_request request = {messages, count, start, true};
  size_t found = 0;
  const char *reason = et_chat_check(chat, &request, &found);
  if (expected == NULL) {
    assert_null(reason);
  } else {
    assert_non_null(reason);
    assert_non_null(strstr(reason, expected));
    assert_int_equal(found, index);
  }
}

static void test_messages_that_the_template_lacks_are_named(void **state) {
  (void)state;
  et_chat_template chat = joined_template();
  const et_chat_message system = message(ET_CHAT_SYSTEM, "s");
  const et_chat_message user = message(ET_CHAT_USER, "u");
  const et_chat_message blank = message(ET_CHAT_USER, " \n");
  const et_chat_message answer = message(ET_CHAT_ASSISTANT, "a");
  const et_chat_message good[] = {system, user, answer, blank};
  expect_reason(&chat, good, 4, ET_CHAT_BEGIN, 0, NULL);
  expect_reason(&chat, good + 2, 2, ET_CHAT_APPEND, 0, NULL);
  expect_reason(&chat, good, 4, ET_CHAT_APPEND, 0, "move it to the start");
  expect_reason(&chat, good + 2, 2, ET_CHAT_AFTER_ANSWER, 0, "the user starts");
  expect_reason(&chat, good, 3, ET_CHAT_BEGIN, 2,
                "an answer follows a message of the user");
  expect_reason(&chat, good, 1, ET_CHAT_BEGIN, 0,
                "an answer follows a message of the user");
  const et_chat_message empty[] = {system, blank};
  expect_reason(&chat, empty, 2, ET_CHAT_BEGIN, 1, "is blank");
  const et_chat_message twice[] = {user, user};
  expect_reason(&chat, twice, 2, ET_CHAT_BEGIN, 1, "join the two messages");
  const et_chat_message late[] = {user, system};
  expect_reason(&chat, late, 2, ET_CHAT_BEGIN, 1, "move it to the start");
  const et_chat_message unknown = {(et_chat_role)3, "u", 1};
  expect_reason(&chat, &unknown, 1, ET_CHAT_BEGIN, 0, "no valid role");
  const et_chat_message without = {ET_CHAT_USER, NULL, 1};
  expect_reason(&chat, &without, 1, ET_CHAT_BEGIN, 0, "no valid role or text");
  chat.has_system = false;
  expect_reason(&chat, good, 4, ET_CHAT_BEGIN, 0,
                "which the model's chat template does not support");
  chat.alternates = false;
  chat.ends_with_user = false;
  expect_reason(&chat, twice, 2, ET_CHAT_BEGIN, 0, NULL);
  expect_reason(&chat, &answer, 1, ET_CHAT_AFTER_ANSWER, 0, NULL);
}

static void test_text_size_is_that_of_joined_messages(void **state) {
  (void)state;
  const et_chat_template chat = joined_template();
  assert_int_equal(et_chat_text_bytes(&kChat, 100), 100 + 3 + 100 + 3);
  assert_int_equal(et_chat_text_bytes(&chat, 100), 3 * (100 + 4));
  assert_true(et_chat_text_bytes(&chat, SIZE_MAX / 2) == SIZE_MAX);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_message_text_merges_with_template_text),
      cmocka_unit_test(test_token_names_in_messages_are_plain_text),
      cmocka_unit_test(test_too_long_conversation_is_reported),
      cmocka_unit_test(test_conversation_has_opening_answer_and_stop_tokens),
      cmocka_unit_test(test_formats_are_those_of_the_conversation),
      cmocka_unit_test(test_trimming_keeps_invalid_characters),
      cmocka_unit_test(test_thoughts_of_answers_are_dropped),
      cmocka_unit_test(test_text_of_several_messages_is_encoded_as_a_whole),
      cmocka_unit_test(test_messages_after_an_answer_end_it_first),
      cmocka_unit_test(test_space_is_added_only_where_text_starts),
      cmocka_unit_test(test_messages_that_the_template_lacks_are_named),
      cmocka_unit_test(test_text_size_is_that_of_joined_messages),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
