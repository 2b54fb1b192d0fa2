/* Tests of conversations, with a small model with random weights. */
#define _POSIX_C_SOURCE 199309L

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "executorch/text/utf8_stream.h"
#include "llm/testing_chat.h"

static void test_sizes_come_from_the_program(void **state) {
  (void)state;
  const et_llm_info *info = et_llm_get_info(llm);
  assert_int_equal(info->context, kContext);
  assert_int_equal(info->chunk, 32);
  assert_int_equal(info->vocabulary, kModel->vocabulary->count);
  assert_int_equal(info->piece_bytes, strlen("<|endoftext|>"));
  assert_int_equal(info->cache_bytes, 2 * 2 * kCachedTokens * kRowBytes);
}

static void test_changed_suffix_gives_the_tokens_of_a_fresh_session(
    void **state) {
  (void)state;
  et_llm_session *used = new_session();
  et_llm_session *fresh = new_session();
  answer first;
  answer again;
  const et_llm_message hello = user_message("Hello!");
  answer_messages(used, &hello, 1, &kShort, &first);
  const et_llm_message messages[] = {
      hello, {ET_CHAT_ASSISTANT, "Hi.", 3}, user_message("And another one?")};
  answer_messages(used, messages, 3, &kShort, &first);
  answer_messages(fresh, messages, 3, &kShort, &again);
  assert_string_equal(first.text, again.text);
  assert_true(same_tokens(used, fresh));
  assert_int_equal(et_llm_get_stats(fresh)->reused_tokens, 0);
  assert_true(et_llm_get_stats(used)->reused_tokens > 50);
  assert_true(et_llm_get_stats(used)->prompt_tokens <
              et_llm_get_stats(used)->reused_tokens + 40);
  et_llm_session_destroy(used);
  et_llm_session_destroy(fresh);
}

static void test_equal_prompt_is_reused_except_its_last_token(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  answer first;
  answer second;
  const et_llm_message message = user_message("Hello!");
  answer_messages(session, &message, 1, &kShort, &first);
  answer_messages(session, &message, 1, &kShort, &second);
  const et_llm_stats *stats = et_llm_get_stats(session);
  assert_string_equal(first.text, second.text);
  assert_int_equal(stats->reused_tokens, stats->prompt_tokens - 1);
  assert_int_equal(stats->generated_tokens, kAnswer);
  assert_int_equal(stats->finish, ET_LLM_FINISH_LENGTH);
  assert_true(stats->prompt_seconds > 0.0 && stats->generation_seconds > 0.0);
  et_llm_session_destroy(session);
}

static void test_rewound_turn_can_be_edited(void **state) {
  (void)state;
  et_llm_session *edited = new_session();
  et_llm_session *fresh = new_session();
  answer text;
  chat(edited, "One.", &kShort, &text);
  const size_t first_turn = token_count(edited);
  chat(edited, "Two.", &kShort, &text);
  assert_int_equal(et_llm_rewind(edited, first_turn, &error), ET_STATUS_OK);
  assert_int_equal(token_count(edited), first_turn);
  chat(edited, "Three.", &kShort, &text);
  chat(fresh, "One.", &kShort, &text);
  chat(fresh, "Three.", &kShort, &text);
  assert_true(same_tokens(edited, fresh));
  assert_int_equal(et_llm_rewind(edited, 0, &error), ET_STATUS_OK);
  chat(edited, "One.", &kShort, &text);
  assert_int_equal(token_count(edited), first_turn);
  assert_int_equal(et_llm_rewind(edited, first_turn + 1, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  et_llm_session_destroy(edited);
  et_llm_session_destroy(fresh);
}

static void test_appended_tokens_give_the_scores_of_a_prefill(void **state) {
  (void)state;
  et_llm_session *one = new_session();
  et_llm_session *all = new_session();
  const int64_t tokens[] = {5, 80, 17, 200, 33, 4};
  const float *a = NULL;
  const float *b = NULL;
  for (size_t i = 0; i < 6; ++i) {
    assert_int_equal(et_llm_append(one, &tokens[i], 1, &a, &error),
                     ET_STATUS_OK);
  }
  assert_int_equal(et_llm_append(all, tokens, 6, &b, &error), ET_STATUS_OK);
  for (size_t i = 0; i < kModel->vocabulary->count; ++i) {
    assert_true(fabsf(a[i] - b[i]) <= 1e-3F * (1.0F + fabsf(b[i])));
  }
  et_llm_session_destroy(one);
  et_llm_session_destroy(all);
}

/* Returns the text of the generated tokens, decoded in one call. */
static size_t decode_at_once(const et_llm_session *session, char *out) {
  et_utf8_stream characters = {.count = 0};
  char bytes[kText];
  size_t size = 0;
  size_t count = 0;
  const int64_t *tokens = et_llm_get_tokens(session, &count);
  for (size_t i = et_llm_get_stats(session)->prompt_tokens; i < count; ++i) {
    size_t length = 0;
    const char *piece = et_bpe_piece(kModel->vocabulary, tokens[i], &length);
    memcpy(bytes + size, piece, length);
    size += length;
  }
  return et_utf8_stream_push(&characters, bytes, size, out);
}

static void test_text_has_whole_characters(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  const et_llm_generation options = {
      .sampling = {.temperature = 2.0F}, .seed = 7, .max_tokens = 150};
  answer streamed;
  char whole[3 * kText];
  chat(session, "Hello!", &options, &streamed);
  assert_int_equal(decode_at_once(session, whole), streamed.size);
  assert_memory_equal(whole, streamed.text, streamed.size);
  assert_true(streamed.calls > 1);
  et_llm_session_destroy(session);
}

static void test_stop_string_across_tokens_ends_the_answer(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  et_llm_generation options = {
      .sampling = {.temperature = 2.0F}, .seed = 3, .max_tokens = 100};
  answer whole;
  answer stopped;
  char stop[8] = "";
  chat(session, "Hello!", &options, &whole);
  memcpy(stop, whole.text + whole.size / 2, 5); /* several tokens */
  const char *const stops[] = {"never generated", stop};
  options.stops = stops;
  options.stop_count = 2;
  assert_int_equal(et_llm_rewind(session, 0, &error), ET_STATUS_OK);
  chat(session, "Hello!", &options, &stopped);
  const char *at = strstr(whole.text, stop);
  assert_int_equal(stopped.size, (size_t)(at - whole.text));
  assert_memory_equal(stopped.text, whole.text, stopped.size);
  assert_int_equal(et_llm_get_stats(session)->finish,
                   ET_LLM_FINISH_STOP_STRING);
  et_llm_session_destroy(session);
}

static void test_stop_token_ends_the_answer(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  et_llm_generation options = kShort;
  answer text;
  size_t count = 0;
  chat(session, "Hello!", &options, &text);
  const size_t prompt = et_llm_get_stats(session)->prompt_tokens;
  const int64_t stop = et_llm_get_tokens(session, &count)[prompt + 9];
  options.stop_tokens = &stop;
  options.stop_token_count = 1;
  assert_int_equal(et_llm_rewind(session, 0, &error), ET_STATUS_OK);
  chat(session, "Hello!", &options, &text);
  assert_true(et_llm_get_stats(session)->generated_tokens <= 9);
  assert_int_equal(et_llm_get_stats(session)->finish, ET_LLM_FINISH_STOP);
  et_llm_session_destroy(session);
}

/* Cancels a session until its generation has ended. */
typedef struct canceler {
  et_llm_session *session;
  atomic_bool has_ended;
} canceler;

static void *cancel(void *data) {
  const struct timespec pause = {0, 20000000};
  canceler *c = data;
  while (!atomic_load(&c->has_ended)) {
    nanosleep(&pause, NULL);
    et_llm_cancel(c->session);
  }
  return NULL;
}

static void test_another_thread_cancels_the_generation(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  /* Endless, because it slides, and no token ends it. */
  const et_llm_bias biases[] = {{kModel->chat->stops[0], -INFINITY},
                                {kModel->chat->stops[1], -INFINITY}};
  const et_llm_generation endless = {
      .biases = biases, .bias_count = 2, .overflow = ET_LLM_OVERFLOW_SLIDE};
  canceler canceler = {.session = session};
  pthread_t thread;
  answer text;
  assert_int_equal(kModel->chat->stop_count, 2);
  assert_int_equal(pthread_create(&thread, NULL, cancel, &canceler), 0);
  assert_int_equal(et_llm_chat(session, "Hello!", &endless, NULL, NULL, &error),
                   ET_STATUS_OK);
  atomic_store(&canceler.has_ended, true);
  pthread_join(thread, NULL);
  assert_int_equal(et_llm_get_stats(session)->finish, ET_LLM_FINISH_CANCELED);
  assert_int_equal(et_llm_rewind(session, 0, &error), ET_STATUS_OK);
  chat(session, "Hello!", &kShort, &text);
  assert_int_equal(et_llm_get_stats(session)->finish, ET_LLM_FINISH_LENGTH);
  et_llm_session_destroy(session);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes_come_from_the_program),
      cmocka_unit_test(test_changed_suffix_gives_the_tokens_of_a_fresh_session),
      cmocka_unit_test(test_equal_prompt_is_reused_except_its_last_token),
      cmocka_unit_test(test_rewound_turn_can_be_edited),
      cmocka_unit_test(test_appended_tokens_give_the_scores_of_a_prefill),
      cmocka_unit_test(test_text_has_whole_characters),
      cmocka_unit_test(test_stop_string_across_tokens_ends_the_answer),
      cmocka_unit_test(test_stop_token_ends_the_answer),
      cmocka_unit_test(test_another_thread_cancels_the_generation),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
