/* Tests of sessions and generation, with a small model with random weights. */
#define _POSIX_C_SOURCE 199309L

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "executorch/llm/hosted.h"
#include "executorch/method.h"
#include "executorch/text/utf8_stream.h"
#include MODEL_HEADER

enum { kContext = 256, kText = 4096, kAnswer = 40 };

/* The linker redirects calls of malloc to this function (BUILD.bazel). */
static size_t allocations;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
  ++allocations;
  return __real_malloc(size);
}

typedef struct answer {
  char text[kText];
  size_t size;
  size_t calls;
} answer;

static et_llm *llm;
static et_error error;

static void add_text(void *user, const char *text, size_t size) {
  answer *to = user;
  assert_true(size > 0 && to->size + size < kText);
  memcpy(to->text + to->size, text, size);
  to->size += size;
  to->text[to->size] = '\0';
  ++to->calls;
}

static et_llm_session *new_session(void) {
  et_llm_session *session = NULL;
  assert_int_equal(et_llm_session_create(llm, &session, &error), ET_STATUS_OK);
  return session;
}

static et_llm_message user_message(const char *text) {
  const et_llm_message message = {ET_CHAT_USER, text, strlen(text)};
  return message;
}

/* Generates an answer to a message, which continues the conversation. */
static void chat(et_llm_session *session, const char *text,
                 const et_llm_generation *options, answer *out) {
  memset(out, 0, sizeof *out);
  if (et_llm_chat(session, text, options, add_text, out, &error) !=
      ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

/* Generates from messages, which are the whole conversation. */
static void answer_messages(et_llm_session *session,
                            const et_llm_message *messages, size_t count,
                            const et_llm_generation *options, answer *out) {
  const et_llm_prompt prompt = {.messages = messages, .message_count = count};
  memset(out, 0, sizeof *out);
  if (et_llm_generate(session, &prompt, options, add_text, out, &error) !=
      ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

/* Returns whether two sessions have the same tokens. */
static bool same_tokens(const et_llm_session *a, const et_llm_session *b) {
  size_t a_count = 0;
  size_t b_count = 0;
  const int64_t *a_tokens = et_llm_get_tokens(a, &a_count);
  const int64_t *b_tokens = et_llm_get_tokens(b, &b_count);
  return a_count == b_count &&
         memcmp(a_tokens, b_tokens, a_count * sizeof *a_tokens) == 0;
}

static size_t token_count(const et_llm_session *session) {
  size_t count = 0;
  (void)et_llm_get_tokens(session, &count);
  return count;
}

static const et_llm_generation kShort = {.max_tokens = kAnswer};

static void test_sizes_come_from_the_program(void **state) {
  (void)state;
  const et_llm_info *info = et_llm_get_info(llm);
  assert_int_equal(info->context, kContext);
  assert_int_equal(info->chunk, 32);
  assert_int_equal(info->vocabulary, MODEL.vocabulary->count);
  assert_int_equal(info->piece_bytes, strlen("<|endoftext|>"));
  assert_int_equal(info->cache_bytes, 2 * 2 * 2 * kContext * ROW_BYTES);
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
  for (size_t i = 0; i < MODEL.vocabulary->count; ++i) {
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
    const char *piece = et_bpe_piece(MODEL.vocabulary, tokens[i], &length);
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
  const et_llm_bias biases[] = {{MODEL.chat->stops[0], -INFINITY},
                                {MODEL.chat->stops[1], -INFINITY}};
  const et_llm_generation endless = {
      .biases = biases, .bias_count = 2, .overflow = ET_LLM_OVERFLOW_SLIDE};
  canceler canceler = {.session = session};
  pthread_t thread;
  answer text;
  assert_int_equal(MODEL.chat->stop_count, 2);
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
  const et_llm_bias biases[] = {{MODEL.chat->stops[0], -INFINITY},
                                {MODEL.chat->stops[1], -INFINITY}};
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
  const et_llm_bias biases[] = {{MODEL.chat->stops[0], -INFINITY},
                                {MODEL.chat->stops[1], -INFINITY}};
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
  assert_int_equal(et_llm_measure(&MODEL, NULL, &info, &error), ET_STATUS_OK);
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
  assert_int_equal(et_llm_open(&MODEL, NULL, model_memory, &in_memory, &error),
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
  assert_int_equal(et_llm_create(&MODEL, 2, &two, &error), ET_STATUS_OK);
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

static void test_invalid_models_are_named(void **state) {
  (void)state;
  et_llm_model model = MODEL;
  et_llm_info info;
  et_bpe_vocabulary vocabulary = *MODEL.vocabulary;
  model.program.data = NULL;
  assert_int_equal(et_llm_measure(&model, NULL, &info, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  model = MODEL;
  model.vocabulary = &vocabulary;
  vocabulary.count = 0;
  assert_int_equal(et_llm_measure(&model, NULL, &info, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_non_null(strstr(error.message, "the vocabulary has 0 tokens"));
}

static int open_model(void **state) {
  (void)state;
  return et_llm_create(&MODEL, 1, &llm, &error) == ET_STATUS_OK ? 0 : -1;
}

static int close_model(void **state) {
  (void)state;
  et_llm_destroy(llm);
  return 0;
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
      cmocka_unit_test(test_equal_seeds_generate_equal_tokens),
      cmocka_unit_test(test_processor_selects_tokens),
      cmocka_unit_test(test_biases_select_tokens),
      cmocka_unit_test(test_prompt_that_does_not_fit_is_an_error),
      cmocka_unit_test(test_full_context_ends_the_answer),
      cmocka_unit_test(test_sliding_keeps_the_first_tokens),
      cmocka_unit_test(test_caller_memory_is_exact_and_nothing_is_allocated),
      cmocka_unit_test(test_threads_do_not_change_the_answer),
      cmocka_unit_test(test_invalid_arguments_are_named),
      cmocka_unit_test(test_invalid_models_are_named),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
