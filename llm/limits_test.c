/* Tests of options, limits and memory, with a small model. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "executorch/method.h"
#include "llm/testing_chat.h"

/* The linker redirects calls of malloc to this function (BUILD.bazel). */
static size_t allocations;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
  ++allocations;
  return __real_malloc(size);
}

static void test_equal_seeds_generate_equal_tokens(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  const uint64_t seeds[] = {1, 1, 2};
  answer texts[3];
  for (size_t i = 0; i < 3; ++i) {
    const et_llm_generation options = {
        .sampling = {.temperature = 1.0F, .top_p = 0.9F},
        .seed = seeds[i],
        .max_tokens = kAnswer};
    assert_int_equal(et_llm_rewind(session, 0, &error), ET_STATUS_OK);
    chat(session, "Tell a joke.", &options, &texts[i]);
  }
  assert_string_equal(texts[0].text, texts[1].text);
  assert_string_not_equal(texts[0].text, texts[2].text);
  et_llm_session_destroy(session);
}

/* Excludes all tokens except the one after the previous token. */
static et_status count_up(void *user, float *scores, size_t count,
                          const int64_t *generated, size_t generated_count,
                          et_error *out_error) {
  const size_t next =
      generated_count == 0 ? 65 : (size_t)generated[generated_count - 1] + 1;
  const bool *fails = user;
  (void)out_error;
  for (size_t i = 0; i < count; ++i) {
    scores[i] = i == next ? 0.0F : -INFINITY;
  }
  return *fails && generated_count == 3 ? ET_STATUS_NOT_SUPPORTED
                                        : ET_STATUS_OK;
}

static void test_processor_selects_tokens(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  bool fails = false;
  const et_llm_generation options = {
      .max_tokens = 10, .processor = count_up, .processor_user = &fails};
  answer text;
  size_t count = 0;
  chat(session, "Hello!", &options, &text);
  const int64_t *tokens = et_llm_get_tokens(session, &count);
  for (size_t i = 0; i < 10; ++i) {
    assert_int_equal(tokens[count - 10 + i], 65 + i);
  }
  fails = true;
  assert_int_equal(et_llm_chat(session, "Hello!", &options, NULL, NULL, &error),
                   ET_STATUS_NOT_SUPPORTED);
  assert_int_equal(et_llm_get_stats(session)->generated_tokens, 3);
  et_llm_session_destroy(session);
}

static void test_biases_select_tokens(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  const et_llm_bias bias = {70, 1e6F};
  const et_llm_generation options = {
      .max_tokens = 4, .biases = &bias, .bias_count = 1};
  answer text;
  size_t count = 0;
  chat(session, "Hello!", &options, &text);
  const int64_t *tokens = et_llm_get_tokens(session, &count);
  assert_int_equal(tokens[count - 1], 70);
  assert_int_equal(tokens[count - 4], 70);
  et_llm_session_destroy(session);
}

static void test_prompt_that_does_not_fit_is_an_error(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  char text[kContext + 1];
  answer before;
  memset(text, 'o', kContext);
  text[kContext] = '\0';
  chat(session, "Hello!", &kShort, &before);
  const size_t count = token_count(session);
  assert_int_equal(et_llm_chat(session, text, NULL, NULL, NULL, &error),
                   ET_STATUS_OUT_OF_RESOURCES);
  assert_non_null(strstr(error.message, "the context has 256 tokens"));
  assert_int_equal(token_count(session), count);
  chat(session, "Go on.", &kShort, &before);
  et_llm_session_destroy(session);
}

static void test_full_context_ends_the_answer(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  const et_llm_bias biases[] = {{kModel->chat->stops[0], -INFINITY},
                                {kModel->chat->stops[1], -INFINITY}};
  const et_llm_generation endless = {.biases = biases, .bias_count = 2};
  assert_int_equal(et_llm_chat(session, "Hello!", &endless, NULL, NULL, &error),
                   ET_STATUS_OK);
  assert_int_equal(et_llm_get_stats(session)->finish, ET_LLM_FINISH_CONTEXT);
  assert_int_equal(token_count(session), kContext);
  assert_int_equal(et_llm_chat(session, "Hello!", &endless, NULL, NULL, &error),
                   ET_STATUS_OUT_OF_RESOURCES);
  et_llm_session_destroy(session);
}

static void test_sliding_keeps_the_first_tokens(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  et_llm_session *fresh = new_session();
  const et_llm_bias biases[] = {{kModel->chat->stops[0], -INFINITY},
                                {kModel->chat->stops[1], -INFINITY}};
  const et_llm_generation options = {.max_tokens = 2 * kContext,
                                     .biases = biases,
                                     .bias_count = 2,
                                     .overflow = ET_LLM_OVERFLOW_SLIDE,
                                     .kept_tokens = 41};
  answer text;
  int64_t start[41];
  int64_t tokens[kContext];
  size_t count = 0;
  chat(session, "Hello!", &kShort, &text);
  memcpy(start, et_llm_get_tokens(session, &count), sizeof start);
  chat(session, "Go on.", &options, &text);
  assert_int_equal(et_llm_get_stats(session)->generated_tokens, 2 * kContext);
  assert_memory_equal(et_llm_get_tokens(session, &count), start, sizeof start);
  assert_true(count < kContext);
  /* The tokens after the latest slide are those of a fresh session. */
  memcpy(tokens, et_llm_get_tokens(session, &count), count * sizeof *tokens);
  const et_llm_prompt prompt = {.tokens = tokens, .token_count = count - 5};
  const et_llm_generation five = {
      .max_tokens = 5, .biases = biases, .bias_count = 2};
  assert_int_equal(et_llm_generate(fresh, &prompt, &five, NULL, NULL, &error),
                   ET_STATUS_OK);
  assert_true(same_tokens(session, fresh));
  et_llm_session_destroy(session);
  et_llm_session_destroy(fresh);
}

static void test_caller_memory_is_exact_and_nothing_is_allocated(void **state) {
  (void)state;
  et_llm_info info;
  et_llm *in_memory = NULL;
  et_llm_session *session = NULL;
  answer text;
  answer expected;
  assert_int_equal(et_llm_measure(kModel, NULL, &info, &error), ET_STATUS_OK);
  uint8_t *memory = aligned_alloc(64, (info.session_bytes + 128) / 64 * 64);
  _Alignas(64) uint8_t model[4096];
  assert_non_null(memory);
  assert_true(info.llm_bytes <= sizeof model);
  memory[info.session_bytes] = 0x5a;
  et_llm_session *other = new_session();
  chat(other, "Hello!", &kShort, &expected);
  et_llm_session_destroy(other);
  const et_mutable_span exact = {memory, info.session_bytes};
  const et_mutable_span short_one = {memory, info.session_bytes - 1};
  const et_mutable_span model_memory = {model, info.llm_bytes};
  const et_mutable_span misaligned = {memory + 8, info.session_bytes};
  const size_t before = allocations;
  assert_int_equal(et_llm_open(kModel, NULL, model_memory, &in_memory, &error),
                   ET_STATUS_OK);
  assert_int_equal(et_llm_session_open(in_memory, short_one, &session, &error),
                   ET_STATUS_MEMORY_TOO_SMALL);
  assert_int_equal(et_llm_session_open(in_memory, misaligned, &session, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_int_equal(et_llm_session_open(in_memory, exact, &session, &error),
                   ET_STATUS_OK);
  chat(session, "Hello!", &kShort, &text);
  et_llm_session_close(session);
  assert_int_equal(allocations, before);
  assert_string_equal(text.text, expected.text);
  assert_int_equal(memory[info.session_bytes], 0x5a);
  free(memory);
}

static void test_threads_do_not_change_the_answer(void **state) {
  (void)state;
  et_llm *two = NULL;
  et_llm_session *session = new_session();
  et_llm_session *threaded = NULL;
  answer text;
  assert_int_equal(et_llm_create(kModel, 2, &two, &error), ET_STATUS_OK);
  assert_int_equal(et_llm_session_create(two, &threaded, &error), ET_STATUS_OK);
  chat(session, "Hello!", &kShort, &text);
  chat(threaded, "Hello!", &kShort, &text);
  assert_true(same_tokens(session, threaded));
  et_llm_session_destroy(threaded);
  et_llm_destroy(two);
  et_llm_session_destroy(session);
}

static void expect_invalid(et_llm_session *session, const et_llm_prompt *prompt,
                           const et_llm_generation *options,
                           const char *message) {
  assert_int_equal(
      et_llm_generate(session, prompt, options, NULL, NULL, &error),
      ET_STATUS_INVALID_ARGUMENT);
  if (strstr(error.message, message) == NULL) {
    fail_msg("'%s' is not in '%s'", message, error.message);
  }
}

static void test_invalid_arguments_are_named(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  et_llm_piece piece;
  const et_llm_message messages[] = {user_message("Hello!"),
                                     {ET_CHAT_SYSTEM, "Be brief.", 9}};
  const et_llm_message large = {ET_CHAT_USER, "", kContext * 8 + 1};
  const int64_t token = 100000;
  const char *const empty = "";
  const et_llm_prompt good = {.messages = messages, .message_count = 1};
  const et_llm_prompt none = {.continues = true};
  const et_llm_prompt system = {.messages = messages, .message_count = 2};
  const et_llm_prompt long_one = {.messages = &large, .message_count = 1};
  const et_llm_prompt foreign = {.tokens = &token, .token_count = 1};
  const et_llm_generation cold = {.sampling = {.temperature = -1.0F}};
  const et_llm_generation nan = {.sampling = {.top_p = NAN}};
  const et_llm_generation stops = {.stops = &empty, .stop_count = 1};
  const et_llm_bias bias = {-1, 0.0F};
  const et_llm_generation biased = {.biases = &bias, .bias_count = 1};
  const et_llm_generation ends = {.stop_tokens = &token, .stop_token_count = 1};
  expect_invalid(session, &none, NULL, "set exactly one");
  expect_invalid(session, &system, NULL, "messages[1] is a system message");
  expect_invalid(session, &long_one, NULL, "messages[0] has 2049 bytes");
  expect_invalid(session, &foreign, NULL, "tokens[0] is 100000");
  expect_invalid(session, &good, &cold, "sampling.temperature");
  expect_invalid(session, &good, &nan, "sampling.top_p");
  expect_invalid(session, &good, &stops, "stops[0] has 0 bytes");
  expect_invalid(session, &good, &biased, "biases[0] is token -1");
  expect_invalid(session, &good, &ends, "stop_tokens[0] is token 100000");
  assert_int_equal(et_llm_next(session, &piece, &error),
                   ET_STATUS_INVALID_STATE);
  et_llm_session_destroy(session);
}

static void test_messages_that_the_model_lacks_are_named(void **state) {
  (void)state;
  et_chat_template strict = *kModel->chat;
  et_llm_model model = *kModel;
  et_llm *other = NULL;
  et_llm_session *session = NULL;
  answer out = {.size = 0};
  const et_llm_message messages[] = {{ET_CHAT_SYSTEM, "Be brief.", 9},
                                     user_message("Hello!"),
                                     user_message("Hello?"),
                                     {ET_CHAT_ASSISTANT, "Hi.", 3}};
  const et_llm_prompt system = {.messages = messages, .message_count = 2};
  const et_llm_prompt twice = {.messages = messages + 1, .message_count = 2};
  const et_llm_prompt answered = {.messages = messages + 2, .message_count = 2};
  strict.has_system = false;
  strict.alternates = true;
  strict.ends_with_user = true;
  model.chat = &strict;
  assert_int_equal(et_llm_create(&model, 1, &other, &error), ET_STATUS_OK);
  assert_int_equal(et_llm_session_create(other, &session, &error),
                   ET_STATUS_OK);
  expect_invalid(session, &system, NULL,
                 "messages[0] is a system message, which the model's chat "
                 "template does not support");
  expect_invalid(session, &twice, NULL,
                 "messages[1] has the role of the message before it");
  expect_invalid(session, &answered, NULL, "messages[1] is the last");
  chat(session, "Hello!", &kShort, &out);
  chat(session, "Hello?", &kShort, &out);
  et_llm_session_destroy(session);
  et_llm_destroy(other);
}

static void test_invalid_models_are_named(void **state) {
  (void)state;
  et_llm_model model = *kModel;
  et_llm_info info;
  et_bpe_vocabulary vocabulary = *kModel->vocabulary;
  model.program.data = NULL;
  assert_int_equal(et_llm_measure(&model, NULL, &info, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  model = *kModel;
  model.vocabulary = &vocabulary;
  vocabulary.count = 0;
  assert_int_equal(et_llm_measure(&model, NULL, &info, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "the vocabulary has 0 tokens"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equal_seeds_generate_equal_tokens),
      cmocka_unit_test(test_processor_selects_tokens),
      cmocka_unit_test(test_biases_select_tokens),
      cmocka_unit_test(test_prompt_that_does_not_fit_is_an_error),
      cmocka_unit_test(test_full_context_ends_the_answer),
      cmocka_unit_test(test_sliding_keeps_the_first_tokens),
      cmocka_unit_test(test_caller_memory_is_exact_and_nothing_is_allocated),
      cmocka_unit_test(test_threads_do_not_change_the_answer),
      cmocka_unit_test(test_invalid_arguments_are_named),
      cmocka_unit_test(test_messages_that_the_model_lacks_are_named),
      cmocka_unit_test(test_invalid_models_are_named),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
