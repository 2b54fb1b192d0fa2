/* Tests that the two methods of a decoder share a cache: decoding tokens one by
 * one gives the same logits as a prefill. */
/* cmocka.h requires these four headers before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "tests/feature_models/kv_cache_decoder_cc.h"

#define WORDS 50
#define TOKENS 9

static tests_feature_models_kv_cache_decoder_prefill_memory prefill_memory;
static tests_feature_models_kv_cache_decoder_decode_memory decode_memory;
static tests_feature_models_kv_cache_decoder_state cache;
static tests_feature_models_kv_cache_decoder_prefill_method prefiller;
static tests_feature_models_kv_cache_decoder_decode_method decoder;
static et_error error;

static const int64_t tokens[TOKENS] = {3, 49, 0, 17, 17, 8, 30, 1, 22};
static const int64_t positions[TOKENS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static int load(void **state) {
  (void)state;
  cache = (tests_feature_models_kv_cache_decoder_state){
      .state = {.program = {NULL, 0}}};
  assert_int_equal(tests_feature_models_kv_cache_decoder_prefill_load(
                       &prefill_memory, NULL, &cache, &prefiller, &error),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_kv_cache_decoder_decode_load(
                       &decode_memory, NULL, &cache, &decoder, &error),
                   ET_STATUS_OK);
  return 0;
}

/* Computes the logits after the last of `count` tokens. */
static void prefill(int32_t count, float *scores) {
  const int32_t sizes[2] = {1, count};
  const float *found = NULL;
  const int32_t *found_sizes = NULL;
  size_t found_count = 0;
  assert_int_equal(tests_feature_models_kv_cache_decoder_prefill_set_tokens(
                       prefiller, tokens, (size_t)count, sizes, &error),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_kv_cache_decoder_prefill_set_positions(
                       prefiller, positions, (size_t)count, &count, &error),
                   ET_STATUS_OK);
  assert_int_equal(
      tests_feature_models_kv_cache_decoder_prefill_execute(prefiller, &error),
      ET_STATUS_OK);
  assert_int_equal(tests_feature_models_kv_cache_decoder_prefill_get_output_0(
                       prefiller, &found, &found_count, &found_sizes, &error),
                   ET_STATUS_OK);
  assert_int_equal(found_count, (size_t)count * WORDS);
  assert_int_equal(found_sizes[1], count);
  memcpy(scores, found + (count - 1) * WORDS, WORDS * sizeof(float));
}

static et_status decode_at(int64_t token, int64_t position) {
  et_error_clear(&error);
  assert_int_equal(tests_feature_models_kv_cache_decoder_decode_set_tokens(
                       decoder, &token, &error),
                   ET_STATUS_OK);
  assert_int_equal(tests_feature_models_kv_cache_decoder_decode_set_positions(
                       decoder, &position, &error),
                   ET_STATUS_OK);
  return tests_feature_models_kv_cache_decoder_decode_execute(decoder, &error);
}

static void assert_decoded(const float *expected) {
  const float *found = NULL;
  assert_int_equal(tests_feature_models_kv_cache_decoder_decode_get_output_0(
                       decoder, &found, &error),
                   ET_STATUS_OK);
  for (size_t i = 0; i < WORDS; i++) {
    assert_true(fabsf(found[i] - expected[i]) < 1e-5f);
  }
}

static void test_token_by_token_decoding_matches_one_call(void **state) {
  (void)state;
  float together[TOKENS][WORDS];
  float first[WORDS];
  for (int32_t count = 3; count <= TOKENS; count++) {
    prefill(count, together[count - 1]);
  }
  load(NULL);
  prefill(3, first);
  assert_memory_equal(first, together[2], sizeof(first));
  for (size_t i = 3; i < TOKENS; i++) {
    assert_int_equal(decode_at(tokens[i], positions[i]), ET_STATUS_OK);
    assert_decoded(together[i]);
  }
}

/* The cache is unchanged: the next token has the same logits as without the failed call. */
static void test_out_of_range_position_ends_the_call(void **state) {
  (void)state;
  float together[WORDS];
  float first[WORDS];
  prefill(5, together);
  prefill(4, first);
  assert_int_equal(decode_at(7, 24), ET_STATUS_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "row 24 is out of range for 24 rows"));
  assert_int_equal(decode_at(WORDS, 4), ET_STATUS_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "row 50 is out of range for 50 rows"));
  assert_int_equal(decode_at(tokens[4], 4), ET_STATUS_OK);
  assert_decoded(together);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_token_by_token_decoding_matches_one_call,
                             load),
      cmocka_unit_test_setup(test_out_of_range_position_ends_the_call, load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
