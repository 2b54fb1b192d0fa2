/* Tests of sampling: probabilities, options, NaN scores. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* clang-format off */
#include <cmocka.h>
/* clang-format on */
#include <math.h>

#include "executorch/text/sampler.h"

enum { kCount = 6, kDraws = 20000 };

/* log(8), log(4), log(2), 0, 0 and -infinity: probabilities 8/16, 4/16, 2/16, 1/16, 1/16 and 0. */
static const float kScores[kCount] = {2.0794415F, 1.3862944F, 0.6931472F,
                                      0.0F,       0.0F,       -INFINITY};

static void draw_many(et_sampler_options options, const float *scores,
                      uint32_t *counts) {
  et_sampler_choice work[kCount];
  uint64_t seed = 17;
  for (uint32_t i = 0; i < kCount; ++i) {
    counts[i] = 0;
  }
  for (int i = 0; i < kDraws; ++i) {
    ++counts[et_sampler_choose(&options, scores, kCount, &seed, work)];
  }
}

static void expect_probability(uint32_t count, float probability) {
  assert_true(fabsf((float)count / kDraws - probability) < 0.02F);
}

static void test_greedy_sampling_takes_the_first_maximum(void **state) {
  (void)state;
  const et_sampler_options greedy = {0};
  const float scores[] = {NAN, 1.0F, 3.0F, 3.0F, NAN};
  uint64_t seed = 1;
  assert_int_equal(et_sampler_choose(&greedy, scores, 5, &seed, NULL), 2);
  assert_int_equal(seed, 1);
}

static void test_sampling_frequencies_match_the_softmax(void **state) {
  (void)state;
  uint32_t counts[kCount];
  draw_many((et_sampler_options){.temperature = 1.0F}, kScores, counts);
  expect_probability(counts[0], 0.5F);
  expect_probability(counts[1], 0.25F);
  expect_probability(counts[3], 0.0625F);
  assert_int_equal(counts[5], 0);
}

static void test_temperature_flattens_the_distribution(void **state) {
  (void)state;
  uint32_t counts[kCount];
  const float scores[kCount] = {2.0F * 0.6931472F, 0.0F,      -INFINITY,
                                -INFINITY,         -INFINITY, NAN};
  draw_many((et_sampler_options){.temperature = 2.0F}, scores, counts);
  expect_probability(counts[0], 2.0F / 3.0F);
  expect_probability(counts[1], 1.0F / 3.0F);
}

static void test_top_k_and_top_p_keep_the_most_probable(void **state) {
  (void)state;
  uint32_t counts[kCount];
  draw_many((et_sampler_options){.temperature = 1.0F, .top_k = 2}, kScores,
            counts);
  expect_probability(counts[0], 2.0F / 3.0F);
  assert_int_equal(counts[0] + counts[1], kDraws);
  draw_many((et_sampler_options){.temperature = 1.0F, .top_p = 0.7F}, kScores,
            counts);
  assert_int_equal(counts[0] + counts[1], kDraws);
  draw_many((et_sampler_options){.temperature = 1.0F, .min_p = 0.2F}, kScores,
            counts);
  expect_probability(counts[2], 1.0F / 7.0F);
  assert_int_equal(counts[0] + counts[1] + counts[2], kDraws);
}

static void test_equal_seeds_sample_equal_tokens(void **state) {
  (void)state;
  uint32_t first[kCount];
  uint32_t second[kCount];
  draw_many((et_sampler_options){.temperature = 1.0F}, kScores, first);
  draw_many((et_sampler_options){.temperature = 1.0F}, kScores, second);
  assert_memory_equal(first, second, sizeof first);
}

static void test_repetition_penalty_lowers_seen_tokens(void **state) {
  (void)state;
  const et_sampler_options options = {.repetition = 2.0F};
  const uint32_t uses[] = {3, ET_SAMPLER_IN_PROMPT, 0};
  float scores[] = {2.0F, -2.0F, 2.0F};
  et_sampler_penalize(&options, scores, uses, 3);
  assert_true(scores[0] == 1.0F && scores[1] == -4.0F && scores[2] == 2.0F);
}

static void test_presence_and_frequency_penalties_count_the_answer(
    void **state) {
  (void)state;
  const et_sampler_options options = {.presence = 0.5F, .frequency = 0.25F};
  const uint32_t uses[] = {ET_SAMPLER_IN_PROMPT | 2, ET_SAMPLER_IN_PROMPT, 1};
  float scores[] = {2.0F, 2.0F, 2.0F};
  et_sampler_penalize(&options, scores, uses, 3);
  assert_true(scores[0] == 1.0F && scores[1] == 2.0F && scores[2] == 1.25F);
}

static void test_nan_scores_still_give_a_token(void **state) {
  (void)state;
  const et_sampler_options options = {.temperature = 1.0F, .top_p = 0.5F};
  const float none[] = {NAN, NAN};
  const float endless[] = {-INFINITY, -INFINITY};
  const float all[] = {0.0F, INFINITY};
  uint64_t seed = 3;
  et_sampler_choice work[2];
  assert_int_equal(et_sampler_choose(&options, none, 2, &seed, work), 0);
  assert_int_equal(et_sampler_choose(&options, endless, 2, &seed, work), 0);
  assert_int_equal(et_sampler_choose(&options, all, 2, &seed, work), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_greedy_sampling_takes_the_first_maximum),
      cmocka_unit_test(test_sampling_frequencies_match_the_softmax),
      cmocka_unit_test(test_temperature_flattens_the_distribution),
      cmocka_unit_test(test_top_k_and_top_p_keep_the_most_probable),
      cmocka_unit_test(test_equal_seeds_sample_equal_tokens),
      cmocka_unit_test(test_repetition_penalty_lowers_seen_tokens),
      cmocka_unit_test(test_presence_and_frequency_penalties_count_the_answer),
      cmocka_unit_test(test_nan_scores_still_give_a_token),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
