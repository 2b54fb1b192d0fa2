/* Tests of byte-pair encoding: word splitting, merge order, arbitrary bytes. */
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

#include "executorch/text/bpe.h"
#include "text/testing_pretokenizers.h"
#include "text/testing_vocabulary.h"

enum { kWork = 64 };

/* The text is in a block of exactly its size, so that sanitizers detect reads
 * beyond its end. */
static void expect_of(et_bpe_pretokenizer pretokenizer, const char *text,
                      size_t size, const int64_t *expected, size_t count) {
  const et_bpe_vocabulary vocabulary = et_testing_vocabulary(pretokenizer);
  et_bpe_symbol work[kWork];
  int64_t tokens[64];
  char *block = malloc(size);
  assert_non_null(block);
  memcpy(block, text, size);
  assert_int_equal(
      et_bpe_encode(&vocabulary, block, size, tokens, 64, work, kWork), count);
  free(block);
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(tokens[i], expected[i]);
  }
}

#define EXPECT(pretokenizer, text, ...)           \
  expect_of(pretokenizer, text, sizeof(text) - 1, \
            (const int64_t[]){__VA_ARGS__},       \
            sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void test_merges_are_applied_by_rank(void **state) {
  (void)state;
  EXPECT(kGpt2, "hello", kHello);
  EXPECT(kGpt2, "hell", kHell);
  EXPECT(kGpt2, "helo", kHe, 'l', 'o');
  EXPECT(kGpt2, "hello hello", kHello, ' ', kHello);
}

static void test_equal_pairs_merge_from_the_left(void **state) {
  (void)state;
  EXPECT(kGpt2, "aaa", kAa, 'a');
  EXPECT(kGpt2, "aaaaaa", kAaaa, kAa);
  EXPECT(kGpt2, "aaaaaaaaa", kAaaa, kAaaa, 'a');
}

static void test_digits_split_into_groups(void **state) {
  (void)state;
  EXPECT(kGpt2, "a12", 'a', kOne2);
  EXPECT(kSmol, "a12", 'a', '1', '2');
  EXPECT(kLlama3, "12123", kOne2, '1', '2', '3');
}

static void test_leading_space_belongs_to_its_word(void **state) {
  (void)state;
  EXPECT(kGpt2, "  he", ' ', kSpaceHe);
  EXPECT(kGpt2, "a \nhe", 'a', ' ', '\n', kHe);
  EXPECT(kSmol, "a  12", 'a', ' ', ' ', '1', '2');
  EXPECT(kGpt2, "a ", 'a', ' ');
}

static void test_punctuation_and_newlines_end_words(void **state) {
  (void)state;
  EXPECT(kGpt2, "he'll", kHe, '\'', kLl);
  EXPECT(kGpt2, "he.he", kHe, '.', kHe);
  EXPECT(kLlama3, "he\n\nhe", kHe, '\n', '\n', kHe);
}

static void test_word_that_is_a_token_is_not_split(void **state) {
  (void)state;
  EXPECT(kLlama3, "<end>", '<', 'e', 'n', 'd', '>');
  EXPECT(kWhole, "aaaa", kAaaa);
  EXPECT(kWhole, "hello.", kHello, '.');
}

static void test_text_is_split_at_user_defined_tokens(void **state) {
  (void)state;
  static const char text[] = "hello<think>hello<think>!!<think";
  static const int64_t expected[] = {kHello, kThink, kHello, kThinks, '<',
                                     't',    'h',    'i',    'n',     'k'};
  const et_bpe_vocabulary vocabulary = et_testing_vocabulary_with_added(kGpt2);
  et_bpe_symbol work[kWork];
  int64_t tokens[16];
  const size_t size = sizeof text - 1;
  assert_int_equal(
      et_bpe_encode(&vocabulary, text, size, tokens, 16, work, kWork), 10);
  assert_memory_equal(tokens, expected, sizeof expected);
  assert_int_equal(
      et_bpe_encode(&vocabulary, text, size, tokens, 2, work, kWork), 2);
  EXPECT(kGpt2, "<think>", '<', 't', 'h', 'i', 'n', 'k', '>');
}

static void test_any_bytes_are_accepted_as_text(void **state) {
  (void)state;
  EXPECT(kGpt2, "\xff\xc3", 0xff, 0xc3);
  EXPECT(kGpt2,
         "a\x01"
         "a",
         'a', 'a');
  EXPECT(kLlama3, "\xe2\x82\xac", 0xe2, 0x82, 0xac);
}

static void test_too_long_text_is_truncated(void **state) {
  (void)state;
  const et_bpe_vocabulary vocabulary = et_testing_vocabulary(kGpt2);
  et_bpe_symbol work[2];
  int64_t tokens[3] = {0, 0, -7};
  const char *text = "hello hello";
  assert_int_equal(et_bpe_encode(&vocabulary, text, 11, tokens, 2, work, 2), 2);
  assert_int_equal(tokens[0], kHe);
  assert_int_equal(tokens[1], kLl);
  assert_int_equal(tokens[2], -7);
  assert_int_equal(et_bpe_encode(&vocabulary, text, 11, tokens, 2, work, 0), 0);
  assert_int_equal(et_bpe_encode(&vocabulary, text, 11, tokens, 2, work, 1), 2);
  assert_int_equal(tokens[1], 'e');
}

/* Returns a vocabulary that changes "L" to "l" and starts each part of a text with "a". */
static et_bpe_vocabulary normalizing_vocabulary(void) {
  static const uint32_t from[] = {'L'};
  static const uint32_t to[] = {'l'};
  static const uint32_t first[] = {'a'};
  static const et_text_replacement replacement = {from, 1, to, 1, false};
  static const et_text_prefix prefix = {first, 1};
  static const et_text_step steps[] = {{et_text_replace_next, &replacement},
                                       {et_text_prefix_next, &prefix}};
  static const et_bpe_normalizer normalizer = {.steps = {steps, 2, false}};
  et_bpe_vocabulary vocabulary = et_testing_vocabulary_with_added(kGpt2);
  vocabulary.normalizer = &normalizer;
  return vocabulary;
}

static void test_text_is_normalized_between_user_defined_tokens(void **state) {
  (void)state;
  const et_bpe_vocabulary vocabulary = normalizing_vocabulary();
  static const char text[] = "heLl<think>heLo";
  static const int64_t expected[] = {kHell, kThink, 'a', kHe, 'l', 'o'};
  et_bpe_symbol work[kWork];
  int64_t tokens[16];
  const size_t size = sizeof text - 1;
  assert_int_equal(
      et_bpe_encode_rest(&vocabulary, text, size, tokens, 16, work, kWork), 6);
  assert_memory_equal(tokens, expected, sizeof expected);
  assert_int_equal(
      et_bpe_encode(&vocabulary, text, size, tokens, 16, work, kWork), 7);
  assert_int_equal(tokens[0], 'a');
  assert_memory_equal(tokens + 1, expected, sizeof expected);
  assert_int_equal(
      et_bpe_encode(&vocabulary, text, size, tokens, 1, work, kWork), 1);
}

static void test_normalized_words_are_split_to_fit(void **state) {
  (void)state;
  const et_bpe_vocabulary vocabulary = normalizing_vocabulary();
  int64_t tokens[16];
  for (size_t count = 0; count < 16; ++count) {
    et_bpe_symbol *work = malloc(count * sizeof *work);
    const size_t found =
        et_bpe_encode_rest(&vocabulary, "hheLLo", 6, tokens, 16, work, count);
    size_t bytes = 0;
    for (size_t i = 0; i < found; ++i) {
      size_t size = 0;
      (void)et_bpe_piece(&vocabulary, tokens[i], &size);
      bytes += size;
    }
    free(work);
    assert_int_equal(bytes, count < 5 ? 0 : 6);
    assert_true(found >= 2 || count < 5);
    assert_true(found == 2 || count < 9);
  }
}

static void test_concatenated_pieces_equal_the_text(void **state) {
  (void)state;
  const et_bpe_vocabulary vocabulary = et_testing_vocabulary(kGpt2);
  size_t size = 0;
  const char *piece = et_bpe_piece(&vocabulary, kSpaceHe, &size);
  assert_int_equal(size, 3);
  assert_memory_equal(piece, " he", 3);
  (void)et_bpe_piece(&vocabulary, kTokens, &size);
  assert_int_equal(size, 0);
  (void)et_bpe_piece(&vocabulary, -1, &size);
  assert_int_equal(size, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_merges_are_applied_by_rank),
      cmocka_unit_test(test_equal_pairs_merge_from_the_left),
      cmocka_unit_test(test_digits_split_into_groups),
      cmocka_unit_test(test_leading_space_belongs_to_its_word),
      cmocka_unit_test(test_punctuation_and_newlines_end_words),
      cmocka_unit_test(test_word_that_is_a_token_is_not_split),
      cmocka_unit_test(test_text_is_split_at_user_defined_tokens),
      cmocka_unit_test(test_any_bytes_are_accepted_as_text),
      cmocka_unit_test(test_too_long_text_is_truncated),
      cmocka_unit_test(test_text_is_normalized_between_user_defined_tokens),
      cmocka_unit_test(test_normalized_words_are_split_to_fit),
      cmocka_unit_test(test_concatenated_pieces_equal_the_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
