/* Tests of a model with a layer that caches its window only, and of the same model with whole
 * caches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm/testing_chat.h"

/* The build defines the model with whole caches and its header, and the largest difference of scores,
 * relative to the largest score. */
#include WHOLE_MODEL_HEADER

enum {
  kChunk = 32,
  kRing = 128,
  kRewind = kChunk + 1,
  kTokens = 10, /* of an answer */
  kVocabulary = 260,
};

/* Returns the number of tokens in the cache after an answer to `count` tokens. */
static size_t processed(size_t count) { return count + kTokens - 1; }

/* Writes tokens `begin` to `end` - 1: the first `same` tokens of one text, and then those of another
 * one. */
static void write_text(size_t begin, size_t end, size_t same, int64_t *out) {
  for (size_t i = begin; i < end; ++i) {
    const uint32_t mixed = (uint32_t)(i + (i < same ? 1 : 5000)) * 2654435761U;
    out[i - begin] = (int64_t)((mixed >> 16) % 250);
  }
}

/* Appends the next `count` tokens of a text in one call. Copies their scores, unless `out` is NULL. */
static void append(et_llm_session *session, size_t count, size_t same,
                   float *out) {
  int64_t tokens[kContext];
  const float *scores = NULL;
  const size_t begin = token_count(session);
  write_text(begin, begin + count, same, tokens);
  if (et_llm_append(session, tokens, count, &scores, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
  if (out != NULL) {
    memcpy(out, scores, kVocabulary * sizeof *out);
  }
}

static void test_sizes_of_the_ring_come_from_the_program(void **state) {
  (void)state;
  et_llm_info whole;
  const et_llm_info *info = et_llm_get_info(llm);
  assert_int_equal(info->vocabulary, kVocabulary);
  assert_int_equal(info->ring, kRing);
  assert_int_equal(info->rewind, kRewind);
  assert_int_equal(et_llm_measure(&WHOLE_MODEL, NULL, &whole, &error),
                   ET_STATUS_OK);
  assert_int_equal(whole.ring, kContext);
  assert_int_equal(whole.rewind, kContext);
  assert_int_equal(info->cache_bytes * 4, whole.cache_bytes * 3);
}

static void test_scores_are_those_of_whole_caches(void **state) {
  (void)state;
  static const size_t kCounts[] = {32, 32, 32, 1, 1, 30, 32, 1, 5, 32, 17, 32};
  et_llm *whole_llm = NULL;
  et_llm_session *whole = NULL;
  et_llm_session *session = new_session();
  float found[kVocabulary];
  float expected[kVocabulary];
  assert_int_equal(et_llm_create(&WHOLE_MODEL, 1, &whole_llm, &error),
                   ET_STATUS_OK);
  assert_int_equal(et_llm_session_create(whole_llm, &whole, &error),
                   ET_STATUS_OK);
  for (size_t i = 0; i < sizeof kCounts / sizeof *kCounts; ++i) {
    float largest = 0.0F;
    append(session, kCounts[i], kContext, found);
    append(whole, kCounts[i], kContext, expected);
    for (size_t j = 0; j < kVocabulary; ++j) {
      largest = fmaxf(largest, fabsf(expected[j]));
    }
    for (size_t j = 0; j < kVocabulary; ++j) {
      assert_true(fabsf(found[j] - expected[j]) <= (float)TOLERANCE * largest);
    }
  }
  assert_true(token_count(session) > kRing + 96);
  et_llm_session_destroy(whole);
  et_llm_destroy(whole_llm);
  et_llm_session_destroy(session);
}

/* Generates an answer to `count` tokens. Returns the number of tokens that were reused. */
static size_t answer_to(et_llm_session *session, size_t count, size_t same) {
  int64_t tokens[kContext];
  const et_llm_prompt prompt = {.tokens = tokens, .token_count = count};
  const et_llm_bias biases[] = {{kModel->chat->stops[0], -INFINITY},
                                {kModel->chat->stops[1], -INFINITY}};
  const et_llm_generation options = {
      .max_tokens = kTokens, .biases = biases, .bias_count = 2};
  write_text(0, count, same, tokens);
  if (et_llm_generate(session, &prompt, &options, NULL, NULL, &error) !=
      ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(et_llm_get_stats(session)->generated_tokens, kTokens);
  return et_llm_get_stats(session)->reused_tokens;
}

/* Expects that a prompt of `count` tokens after another one, which has the same first `same` tokens,
 * reuses `expected` tokens, and has the answer of a fresh session. */
static void expect_reuse(size_t count, size_t same, size_t expected) {
  et_llm_session *used = new_session();
  et_llm_session *fresh = new_session();
  assert_int_equal(answer_to(used, count, count), 0);
  assert_int_equal(answer_to(used, count, same), expected);
  assert_int_equal(answer_to(fresh, count, same), 0);
  assert_true(same_tokens(used, fresh));
  et_llm_session_destroy(used);
  et_llm_session_destroy(fresh);
}

static void test_prompt_with_a_near_change_reuses_tokens(void **state) {
  (void)state;
  expect_reuse(200, 199, 199);
  expect_reuse(200, processed(200) - kRewind, processed(200) - kRewind);
}

static void test_prompt_with_a_far_change_is_processed_from_the_start(
    void **state) {
  (void)state;
  expect_reuse(200, processed(200) - kRewind - 1, 0);
  expect_reuse(200, 20, 0);
}

static void test_conversation_within_the_ring_reuses_any_tokens(void **state) {
  (void)state;
  const size_t count = kRing - kTokens + 1;
  assert_int_equal(processed(count), kRing);
  expect_reuse(count, 20, 20);
  expect_reuse(count + 1, 20, 0);
}

/* Expects that the next chunk has the scores of a fresh session that processed the first `kept` tokens
 * in one call, or together with the chunk. */
static void expect_scores(et_llm_session *session, size_t kept, bool together) {
  et_llm_session *fresh = new_session();
  float found[kVocabulary];
  float expected[kVocabulary];
  assert_int_equal(token_count(session), kept);
  if (together) {
    append(fresh, kept + kChunk, kept, expected);
  } else {
    append(fresh, kept, kept, NULL);
    append(fresh, kChunk, kept, expected);
  }
  append(session, kChunk, kept, found);
  assert_memory_equal(found, expected, sizeof found);
  et_llm_session_destroy(fresh);
}

static void test_rewound_session_has_the_scores_of_a_fresh_one(void **state) {
  (void)state;
  static const size_t kRemoved[] = {1, 20, kRewind, kRewind + 1, 90, 191};
  for (size_t i = 0; i < sizeof kRemoved / sizeof *kRemoved; ++i) {
    et_llm_session *session = new_session();
    const size_t kept = 192 - kRemoved[i];
    append(session, kept, kContext, NULL);
    append(session, kRemoved[i], kContext, NULL);
    assert_int_equal(et_llm_rewind(session, kept, &error), ET_STATUS_OK);
    expect_scores(session, kept, kRemoved[i] > kRewind);
    et_llm_session_destroy(session);
  }
}

static void test_rewinding_again_counts_from_the_longest_end(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  append(session, 192, kContext, NULL);
  assert_int_equal(et_llm_rewind(session, 170, &error), ET_STATUS_OK);
  append(session, 5, kContext, NULL);
  assert_int_equal(et_llm_rewind(session, 150, &error), ET_STATUS_OK);
  expect_scores(session, 150, true);
  et_llm_session_destroy(session);
}

static void test_conversation_that_begins_again_has_a_new_longest_end(
    void **state) {
  (void)state;
  et_llm_session *session = new_session();
  assert_int_equal(answer_to(session, 200, kContext), 0);
  assert_int_equal(answer_to(session, 100, 20), 0);
  assert_int_equal(answer_to(session, 100, 60), 20);
  et_llm_session_destroy(session);
}

static void test_session_that_slid_has_the_scores_of_a_fresh_one(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  et_llm_session *fresh = new_session();
  const size_t kept = 100;
  const size_t after_slide = kContext - (kContext - kept + 1) / 2;
  const et_llm_bias biases[] = {{kModel->chat->stops[0], -INFINITY},
                                {kModel->chat->stops[1], -INFINITY}};
  const et_llm_generation options = {.max_tokens = kTokens,
                                     .biases = biases,
                                     .bias_count = 2,
                                     .overflow = ET_LLM_OVERFLOW_SLIDE,
                                     .kept_tokens = kept};
  int64_t text[kContext];
  const et_llm_prompt prompt = {.tokens = text, .token_count = kContext - 2};
  size_t count = 0;
  const float *scores = NULL;
  float found[kVocabulary];
  write_text(0, kContext, kContext, text);
  assert_int_equal(
      et_llm_generate(session, &prompt, &options, NULL, NULL, &error),
      ET_STATUS_OK);
  assert_int_equal(token_count(session), after_slide + kTokens - 2);
  append(session, 1, kContext, found);
  const int64_t *tokens = et_llm_get_tokens(session, &count);
  assert_int_equal(et_llm_append(fresh, tokens, after_slide, &scores, &error),
                   ET_STATUS_OK);
  for (size_t i = after_slide; i < count - 2; ++i) {
    assert_int_equal(et_llm_append(fresh, &tokens[i], 1, &scores, &error),
                     ET_STATUS_OK);
  }
  /* The last token of the answer is processed together with the appended one. */
  assert_int_equal(et_llm_append(fresh, &tokens[count - 2], 2, &scores, &error),
                   ET_STATUS_OK);
  assert_memory_equal(found, scores, sizeof found);
  et_llm_session_destroy(session);
  et_llm_session_destroy(fresh);
}

/* Expects that the file is an error if a constant of the program has another value. */
static void expect_invalid_constant(int64_t value, int64_t other,
                                    const char *message) {
  const size_t size = kModel->program.size;
  uint8_t *bytes = aligned_alloc(64, (size + 63) / 64 * 64);
  et_llm_model model = *kModel;
  et_llm_info info;
  size_t found = 0;
  assert_non_null(bytes);
  memcpy(bytes, kModel->program.data, size);
  model.program.data = bytes;
  for (size_t at = 0; at + sizeof value <= size; at += 4) {
    if (memcmp(bytes + at, &value, sizeof value) == 0) {
      memcpy(bytes + at, &other, sizeof other);
      if (et_llm_measure(&model, NULL, &info, &error) != ET_STATUS_OK &&
          strstr(error.message, message) != NULL) {
        assert_int_equal(error.status, ET_STATUS_INVALID_PROGRAM);
        ++found;
      }
      memcpy(bytes + at, &value, sizeof value);
    }
  }
  assert_int_equal(found, 1);
  free(bytes);
}

static void test_invalid_constants_of_a_program_are_named(void **state) {
  (void)state;
  expect_invalid_constant(kRing, kChunk - 1, "'get_min_ring_len' is 31");
  expect_invalid_constant(kRing, -1, "'get_min_ring_len' is -1");
  expect_invalid_constant(kRing, kContext + 1, "'get_min_ring_len' is 257");
  expect_invalid_constant(kRewind, 0, "'get_max_rewind_len' is 0");
  expect_invalid_constant(kRewind, kRing + 1, "'get_max_rewind_len' is 129");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_of_the_ring_come_from_the_program),
      cmocka_unit_test(test_scores_are_those_of_whole_caches),
      cmocka_unit_test(test_prompt_with_a_near_change_reuses_tokens),
      cmocka_unit_test(
          test_prompt_with_a_far_change_is_processed_from_the_start),
      cmocka_unit_test(test_conversation_within_the_ring_reuses_any_tokens),
      cmocka_unit_test(test_rewound_session_has_the_scores_of_a_fresh_one),
      cmocka_unit_test(test_rewinding_again_counts_from_the_longest_end),
      cmocka_unit_test(
          test_conversation_that_begins_again_has_a_new_longest_end),
      cmocka_unit_test(test_session_that_slid_has_the_scores_of_a_fresh_one),
      cmocka_unit_test(test_invalid_constants_of_a_program_are_named),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
