/* Tests of Unigram: best paths, limits of memory, arbitrary bytes. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */
#include <stdlib.h>
#include <string.h>

#include "executorch/text/unigram.h"
#include "text/small_unigram.h"

enum { kUnknown, kEnd, kMark, kA, kB, kMarkAb, kAb, kEAcute, kAdded, kCount };

#define VOCABULARY (&text_small_unigram)

static void expect_of(const char *text, size_t size, const int64_t *expected,
                      size_t count) {
  const size_t work_count = et_unigram_work_count(VOCABULARY, text, size);
  et_unigram_node *work = malloc(work_count * sizeof *work);
  int64_t tokens[64];
  assert_non_null(work);
  assert_int_equal(
      et_unigram_encode(VOCABULARY, text, size, tokens, 64, work, work_count),
      count);
  free(work);
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(tokens[i], expected[i]);
  }
}

#define EXPECT(text, ...)                                           \
  expect_of(text, sizeof(text) - 1, (const int64_t[]){__VA_ARGS__}, \
            sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void test_path_with_the_highest_score_wins(void **state) {
  (void)state;
  EXPECT("ab", kMarkAb);
  EXPECT("aab", kMark, kA, kA, kB); /* a + b scores more than ab */
  EXPECT("ab ab", kMarkAb, kMarkAb);
}

static void test_adjacent_unknown_characters_are_one_token(void **state) {
  (void)state;
  EXPECT("zzz", kMark, kUnknown);
  EXPECT("zaz z", kMark, kUnknown, kA, kUnknown, kMark, kUnknown);
}

static void test_unigram_text_is_normalized(void **state) {
  (void)state;
  EXPECT("e\xcc\x81", kMark, kEAcute);
}

static void test_unigram_names_of_special_tokens_are_text(void **state) {
  (void)state;
  EXPECT("a</s>", kMark, kA, kUnknown);
}

static void test_unigram_user_defined_tokens_split_text(void **state) {
  (void)state;
  EXPECT("a<x><x>b", kMark, kA, kAdded, kAdded, kMark, kB);
}

static void test_invalid_utf8_is_unknown(void **state) {
  (void)state;
  EXPECT("a\xff\xe2\x96", kMark, kA, kUnknown);
  EXPECT("\xc3", kMark, kUnknown);
}

static void test_empty_text_has_no_unigram_tokens(void **state) {
  (void)state;
  et_unigram_node work[8];
  assert_int_equal(et_unigram_encode(VOCABULARY, "", 0, NULL, 0, work, 8), 0);
}

static void test_no_more_unigram_tokens_than_fit(void **state) {
  (void)state;
  const char text[] = "ab<x>ab ab";
  et_unigram_node work[16];
  for (size_t capacity = 0; capacity <= 4; ++capacity) {
    int64_t *tokens = malloc(capacity * sizeof *tokens + 1);
    assert_non_null(tokens);
    assert_int_equal(et_unigram_encode(VOCABULARY, text, strlen(text), tokens,
                                       capacity, work, 16),
                     capacity);
    free(tokens);
  }
}

static void test_longer_unigram_words_are_split(void **state) {
  (void)state;
  int64_t tokens[64];
  const char text[] = "ababababab";
  assert_int_equal(et_unigram_work_count(VOCABULARY, text, strlen(text)),
                   strlen("\xe2\x96\x81") + strlen(text) + 1);
  for (size_t count = 0; count < 16; ++count) {
    et_unigram_node *work = malloc(count * sizeof *work + 1);
    assert_non_null(work);
    const size_t found = et_unigram_encode(VOCABULARY, text, strlen(text),
                                           tokens, 64, work, count);
    assert_true(count <= 4 ? found == 0 : found >= 9);
    free(work);
  }
}

static void test_unigram_pieces_are_bytes(void **state) {
  (void)state;
  size_t size;
  assert_memory_equal(et_unigram_piece(VOCABULARY, kMarkAb, &size), " ab", 3);
  assert_int_equal(size, 3);
  assert_memory_equal(et_unigram_piece(VOCABULARY, kAdded, &size), "<x>", 3);
  for (int64_t token = -1; token <= kCount; token += kCount + 1) {
    (void)et_unigram_piece(VOCABULARY, token, &size);
    assert_int_equal(size, 0);
  }
}

static void test_tokens_around_a_text_are_in_the_vocabulary(void **state) {
  (void)state;
  assert_int_equal(VOCABULARY->begin_count, 0);
  assert_int_equal(VOCABULARY->end_count, 1);
  assert_int_equal(VOCABULARY->end[0], kEnd);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_path_with_the_highest_score_wins),
      cmocka_unit_test(test_adjacent_unknown_characters_are_one_token),
      cmocka_unit_test(test_unigram_text_is_normalized),
      cmocka_unit_test(test_unigram_names_of_special_tokens_are_text),
      cmocka_unit_test(test_unigram_user_defined_tokens_split_text),
      cmocka_unit_test(test_invalid_utf8_is_unknown),
      cmocka_unit_test(test_empty_text_has_no_unigram_tokens),
      cmocka_unit_test(test_no_more_unigram_tokens_than_fit),
      cmocka_unit_test(test_longer_unigram_words_are_split),
      cmocka_unit_test(test_unigram_pieces_are_bytes),
      cmocka_unit_test(test_tokens_around_a_text_are_in_the_vocabulary),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
