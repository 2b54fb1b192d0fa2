/* Tests of generations with a grammar: the selected tokens are those of scores in which a processor
 * has excluded every other token, one by one. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executorch/llm/hosted.h"
#include "llm/matcher.h"
#include "llm/testing_grammars.h"
#include "llm/testing_nested.h"

#include MODEL_HEADER

enum { kTokens = 200, kLongestToken = 1024 };

static et_llm *llm;
static et_error error;

static int open_model(void **state) {
  (void)state;
  return et_llm_create(&MODEL, 1, &llm, &error) == ET_STATUS_OK ? 0 : -1;
}

static int close_model(void **state) {
  (void)state;
  et_llm_destroy(llm);
  return 0;
}

/* A matcher that follows an answer. */
typedef struct follower {
  llm_matcher matcher;
  llm_level levels[kLongestToken + 1];
  size_t followed; /* tokens */
} follower;

static bool push_token(llm_matcher *matcher, int64_t token) {
  size_t size = 0;
  const char *bytes = et_bpe_piece(MODEL.vocabulary, token, &size);
  assert_true(size <= kLongestToken);
  for (size_t i = 0; i < size; ++i) {
    if (!llm_matcher_push(matcher, (uint8_t)bytes[i])) {
      return false;
    }
  }
  return size != 0;
}

static bool is_text(int64_t token) {
  return (MODEL.text_tokens->is_text[token / 8] >> token % 8 & 1) != 0;
}

/* Excludes all tokens that the grammar does not permit. */
static et_status exclude(void *user, float *scores, size_t count,
                         const int64_t *answer, size_t answer_count,
                         et_error *out_error) {
  follower *to = user;
  (void)out_error;
  while (to->followed < answer_count) {
    assert_true(push_token(&to->matcher, answer[to->followed++]));
    llm_matcher_commit(&to->matcher);
  }
  for (size_t i = 0; i < count; ++i) {
    const bool permits =
        et_chat_is_stop(MODEL.chat, (int64_t)i)
            ? llm_matcher_can_end(&to->matcher)
            : is_text((int64_t)i) && push_token(&to->matcher, (int64_t)i);
    llm_matcher_back(&to->matcher, 0);
    if (!permits) {
      scores[i] = -INFINITY;
    }
  }
  return ET_STATUS_OK;
}

/* Generates, and copies the tokens of the answer. Returns their number. */
static size_t generate(const et_llm_generation *options, int64_t *tokens) {
  et_llm_session *session = NULL;
  const int64_t first = 1;
  const et_llm_prompt prompt = {.tokens = &first, .token_count = 1};
  size_t count = 0;
  assert_int_equal(et_llm_session_create(llm, &session, &error), ET_STATUS_OK);
  if (et_llm_generate(session, &prompt, options, NULL, NULL, &error) !=
      ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
  const int64_t *all = et_llm_get_tokens(session, &count);
  assert_true(count <= kTokens + 1);
  memcpy(tokens, all + 1, (count - 1) * sizeof *tokens);
  et_llm_session_destroy(session);
  return count - 1;
}

static void test_grammar_equals_masked_scores(void **state) {
  static follower follower;
  const et_sampler_options samplings[] = {{.temperature = 0},
                                          {.temperature = 2},
                                          {.temperature = 1, .top_k = 5},
                                          {.temperature = 1, .top_p = 0.5F},
                                          {.temperature = 2, .min_p = 0.3F},
                                          {.presence = 2, .repetition = 1.2F}};
  (void)state;
  follower.matcher.levels = follower.levels;
  for (size_t i = 0; i < sizeof kGrammars / sizeof *kGrammars; ++i) {
    for (size_t j = 0; j < sizeof samplings / sizeof *samplings; ++j) {
      int64_t expected[kTokens];
      int64_t found[kTokens];
      et_llm_generation options = {.sampling = samplings[j],
                                   .seed = i,
                                   .max_tokens = kTokens,
                                   .grammar = kGrammars[i].grammar};
      const size_t count = generate(&options, found);
      /* The processor permits no token where the grammar has ended. */
      options.max_tokens = count;
      options.grammar = NULL;
      options.processor = exclude;
      options.processor_user = &follower;
      follower.followed = 0;
      llm_matcher_start(&follower.matcher, kGrammars[i].grammar);
      assert_true(count > 0);
      assert_int_equal(generate(&options, expected), count);
      assert_memory_equal(found, expected, count * sizeof *found);
    }
  }
}

/* Returns the token with this text. */
static int64_t token_of(const char *text) {
  for (uint32_t token = 0; token < MODEL.vocabulary->count; ++token) {
    size_t size = 0;
    const char *bytes = et_bpe_piece(MODEL.vocabulary, token, &size);
    if (size == strlen(text) && memcmp(bytes, text, size) == 0) {
      return token;
    }
  }
  fail_msg("no token is %s", text);
  return -1;
}

static void test_answer_ends_where_the_grammar_ends(void **state) {
  const et_llm_bias biases[] = {{token_of("]"), 1e6F},
                                {MODEL.chat->stops[0], 2e6F}};
  const char *const stops[] = {"]!"};
  const et_llm_generation options = {.biases = biases,
                                     .bias_count = 2,
                                     .stops = stops,
                                     .stop_count = 1,
                                     .max_tokens = 20,
                                     .grammar = &testing_nested};
  et_llm_session *session = NULL;
  et_llm_piece piece = {.finish = ET_LLM_FINISH_NONE};
  const int64_t first = 1;
  const et_llm_prompt prompt = {.tokens = &first, .token_count = 1};
  char text[kTokens] = "";
  char whole[kTokens] = "";
  size_t count = 0;
  (void)state;
  assert_int_equal(et_llm_session_create(llm, &session, &error), ET_STATUS_OK);
  assert_int_equal(et_llm_begin(session, &prompt, &options, &error),
                   ET_STATUS_OK);
  while (piece.finish == ET_LLM_FINISH_NONE) {
    assert_int_equal(et_llm_next(session, &piece, &error), ET_STATUS_OK);
    strncat(text, piece.text, piece.size);
  }
  const int64_t *tokens = et_llm_get_tokens(session, &count);
  for (size_t i = 1; i < count; ++i) {
    size_t size = 0;
    const char *bytes = et_bpe_piece(MODEL.vocabulary, tokens[i], &size);
    strncat(whole, bytes, size);
  }
  /* The last bracket was held back, because it may have begun a stop string. */
  assert_true(strlen(text) >= 2 && text[strlen(text) - 1] == ']');
  assert_string_equal(text, whole);
  assert_int_equal(piece.finish, ET_LLM_FINISH_GRAMMAR);
  et_llm_session_destroy(session);
}

static void test_control_tokens_are_not_text(void **state) {
  et_llm_bias biases[2] = {{0, 1e6F}, {token_of("["), 1.0F}};
  const et_llm_generation options = {.biases = biases,
                                     .bias_count = 2,
                                     .max_tokens = 20,
                                     .grammar = &testing_nested};
  int64_t tokens[kTokens];
  size_t controls = 0;
  (void)state;
  for (uint32_t token = 0; token < MODEL.vocabulary->count; ++token) {
    if (!is_text(token) && controls++ == 0) {
      biases[0].token = token;
      const size_t count = generate(&options, tokens);
      for (size_t i = 0; i < count; ++i) {
        assert_int_not_equal(tokens[i], token);
      }
    }
  }
  assert_true(controls > 0);
}

static void expect_failure(const et_llm_model *model,
                           const et_llm_generation *options, et_status status,
                           const char *message) {
  et_llm *opened = NULL;
  et_llm_session *session = NULL;
  const int64_t first = 1;
  const et_llm_prompt prompt = {.tokens = &first, .token_count = 1};
  assert_int_equal(et_llm_create(model, 1, &opened, &error), ET_STATUS_OK);
  assert_int_equal(et_llm_session_create(opened, &session, &error),
                   ET_STATUS_OK);
  assert_int_equal(
      et_llm_generate(session, &prompt, options, NULL, NULL, &error), status);
  if (strstr(error.message, message) == NULL) {
    fail_msg("'%s' is not in '%s'", message, error.message);
  }
  et_llm_session_destroy(session);
  et_llm_destroy(opened);
}

static void test_grammars_that_cannot_be_followed_are_named(void **state) {
  et_llm_model model = MODEL;
  et_llm_bias biases[256];
  size_t count = 0;
  et_llm_generation options = {.biases = biases, .grammar = &testing_nested};
  (void)state;
  for (uint32_t token = 0; token < MODEL.vocabulary->count && count < 256;
       ++token) {
    size_t size = 0;
    const char *bytes = et_bpe_piece(MODEL.vocabulary, token, &size);
    if (size != 0 && bytes[0] == '[') {
      biases[count++] = (et_llm_bias){token, -INFINITY};
    }
  }
  options.bias_count = count;
  expect_failure(&MODEL, &options, ET_STATUS_INVALID_ARGUMENT,
                 "no token that the grammar permits");
  model.text_tokens = NULL;
  expect_failure(&model, &options, ET_STATUS_INVALID_ARGUMENT,
                 "the model has no text_tokens");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_grammar_equals_masked_scores),
      cmocka_unit_test(test_answer_ends_where_the_grammar_ends),
      cmocka_unit_test(test_control_tokens_are_not_text),
      cmocka_unit_test(test_grammars_that_cannot_be_followed_are_named),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
