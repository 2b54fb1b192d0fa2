/* Tests of WordPiece: longest pieces, normalization, arbitrary bytes. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */
#include <string.h>

#include "executorch/text/wordpiece.h"
#include "text/tiny_vocabulary.h"

enum { kUnknown = 1, kUn = 4, kAff = 5, kAble = 6, kA = 7, kSepWord = 12 };

static void expect_of(const char *text, size_t size, const int64_t *expected,
                      size_t count) {
  int64_t tokens[64];
  assert_int_equal(
      et_wordpiece_encode(&text_tiny_vocabulary, text, size, tokens, 64),
      count);
  for (size_t i = 0; i < count; ++i) {
    assert_int_equal(tokens[i], expected[i]);
  }
}

#define EXPECT(text, ...)                                           \
  expect_of(text, sizeof(text) - 1, (const int64_t[]){__VA_ARGS__}, \
            sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static void test_longest_pieces_are_matched_first(void **state) {
  (void)state;
  EXPECT("unaffable", kUn, kAff, kAble);
  EXPECT("una able", kUn, kA, 8);
  EXPECT("  unaffable\t,able\n", kUn, kAff, kAble, 9, 8);
}

static void test_word_without_pieces_is_one_unknown_token(void **state) {
  (void)state;
  EXPECT("unaffx able", kUnknown, 8);
}

static void test_letters_are_normalized_before_lookup(void **state) {
  (void)state;
  EXPECT("\xc3\x9cn\xc3\x84\xcc\x83", kUn,
         kA);                     /* Ü n Ä with a combining tilde */
  EXPECT("\xc4\xb0", 16);         /* capital i with a dot */
  EXPECT("u\xc2\xadn", kUn);      /* a soft hyphen */
  EXPECT("\xea\xb0\x80", 17, 18); /* a Hangul syllable */
  EXPECT(
      "un\xe4\xb8\xad"
      "able",
      kUn, 13, 8); /* an ideograph */
  EXPECT(
      "un\xe3\x80\x80"
      "able",
      kUn, 8); /* an ideographic space */
}

static void test_token_names_in_text_are_plain_text(void **state) {
  (void)state;
  EXPECT("[SEP]", 10, kSepWord, 11);
  EXPECT("##able", kUnknown, kUnknown, 8);
}

static void test_invalid_utf8_is_omitted(void **state) {
  (void)state;
  EXPECT("u\xffn", kUn);
  EXPECT("u\xc3n", kUn);             /* truncated */
  EXPECT("u\xed\xa0\x80n", kUn);     /* a surrogate */
  EXPECT("u\xf4\x90\x80\x80n", kUn); /* beyond U+10FFFF */
  /* beyond U+10FFFF, detected by the first byte */
  EXPECT("u\xf5\x80\x80\x80n", kUn);
  EXPECT("u\xc0\xaen", kUn); /* overlong */
  EXPECT("u\0n\xf0\x9f", kUn);
}

static void test_empty_text_has_no_tokens(void **state) {
  (void)state;
  expect_of("", 0, NULL, 0);
  expect_of(" \r\n", 3, NULL, 0);
  expect_of("\xcc\x81", 2, NULL, 0);
}

static void test_long_word_is_the_unknown_token(void **state) {
  (void)state;
  char word[ET_WORDPIECE_MAX_WORD + 1];
  int64_t tokens[ET_WORDPIECE_MAX_WORD + 1];
  memset(word, 's', sizeof word);
  memcpy(word, "un", 2);
  assert_int_equal(
      et_wordpiece_encode(&text_tiny_vocabulary, word, sizeof word - 1, tokens,
                          ET_WORDPIECE_MAX_WORD + 1),
      ET_WORDPIECE_MAX_WORD - 1);
  assert_int_equal(et_wordpiece_encode(&text_tiny_vocabulary, word, sizeof word,
                                       tokens, ET_WORDPIECE_MAX_WORD + 1),
                   1);
  assert_int_equal(tokens[0], kUnknown);
}

static void test_tokens_beyond_the_buffer_are_not_written(void **state) {
  (void)state;
  int64_t tokens[3] = {-1, -1, -1};
  const char text[] = "unaffable unaffx";
  assert_int_equal(et_wordpiece_encode(&text_tiny_vocabulary, text,
                                       sizeof text - 1, tokens, 2),
                   2);
  assert_int_equal(tokens[1], kAff);
  assert_int_equal(tokens[2], -1);
  assert_int_equal(et_wordpiece_encode(&text_tiny_vocabulary, text,
                                       sizeof text - 1, tokens, 0),
                   0);
}

static void test_piece_has_the_bytes_of_its_token(void **state) {
  (void)state;
  size_t size = 0;
  const char *piece = et_wordpiece_piece(&text_tiny_vocabulary, kAff, &size);
  assert_int_equal(size, 5);
  assert_memory_equal(piece, "##aff", 5);
  const int64_t invalid[] = {-1, INT64_MIN, INT64_MAX,
                             text_tiny_vocabulary.count};
  for (size_t i = 0; i < sizeof invalid / sizeof *invalid; ++i) {
    size = 1;
    assert_non_null(
        et_wordpiece_piece(&text_tiny_vocabulary, invalid[i], &size));
    assert_int_equal(size, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_longest_pieces_are_matched_first),
      cmocka_unit_test(test_word_without_pieces_is_one_unknown_token),
      cmocka_unit_test(test_letters_are_normalized_before_lookup),
      cmocka_unit_test(test_token_names_in_text_are_plain_text),
      cmocka_unit_test(test_invalid_utf8_is_omitted),
      cmocka_unit_test(test_empty_text_has_no_tokens),
      cmocka_unit_test(test_long_word_is_the_unknown_token),
      cmocka_unit_test(test_tokens_beyond_the_buffer_are_not_written),
      cmocka_unit_test(test_piece_has_the_bytes_of_its_token),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
