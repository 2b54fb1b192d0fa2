/* Tests of adapters that are switched between generations, with a small model. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "llm/small.h"
#include "llm/small_merged.h"
#include "llm/testing_chat.h"

static const char *const kNames[] = {"legal", "support", NULL};

static void set_adapter(et_llm_session *session, const char *name) {
  if (et_llm_set_adapter(session, name, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

/* Answers with an adapter, in a new session. */
static void answer_fresh(const char *name, const et_llm_message *messages,
                         size_t count, answer *out) {
  et_llm_session *session = new_session();
  set_adapter(session, name);
  answer_messages(session, messages, count, &kShort, out);
  et_llm_session_destroy(session);
}

/* Computes the scores after some tokens with a model, and its adapter if `name` is not NULL. */
static void score(const et_llm_model *model, const char *name, float *out) {
  const int64_t tokens[] = {5, 80, 17, 200, 33, 4};
  const float *scores = NULL;
  et_llm *own = NULL;
  et_llm_session *session = NULL;
  assert_int_equal(et_llm_create(model, 1, &own, &error), ET_STATUS_OK);
  assert_int_equal(et_llm_session_create(own, &session, &error), ET_STATUS_OK);
  set_adapter(session, name);
  assert_int_equal(et_llm_append(session, tokens, 6, &scores, &error),
                   ET_STATUS_OK);
  memcpy(out, scores, model->vocabulary->count * sizeof *scores);
  et_llm_session_destroy(session);
  et_llm_destroy(own);
}

/* Returns the largest difference of scores, relative to the largest score. */
static float difference(const float *a, const float *b) {
  float largest = 0.0F;
  float different = 0.0F;
  for (size_t i = 0; i < kModel->vocabulary->count; ++i) {
    largest = fmaxf(largest, fabsf(b[i]));
    different = fmaxf(different, fabsf(a[i] - b[i]));
  }
  return different / largest;
}

static void test_scores_are_those_of_the_merged_weights(void **state) {
  (void)state;
  float base[512];
  float plain[512];
  float adapted[512];
  float merged[512];
  assert_true(kModel->vocabulary->count <= 512);
  score(kModel, NULL, base);
  score(&small, NULL, plain);
  score(kModel, "support", adapted);
  score(&small_merged, NULL, merged);
  assert_true(difference(base, plain) < 1e-4F);
  assert_true(difference(adapted, merged) < 1e-4F);
  assert_true(difference(adapted, base) > 0.01F);
}

static void test_switching_gives_the_answers_of_fresh_sessions(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  const et_llm_message message = user_message("Hello!");
  answer fresh[3];
  answer switched;
  for (size_t i = 0; i < 3; ++i) {
    answer_fresh(kNames[i], &message, 1, &fresh[i]);
  }
  assert_string_not_equal(fresh[0].text, fresh[1].text);
  assert_string_not_equal(fresh[1].text, fresh[2].text);
  const size_t order[] = {1, 0, 2, 1, 2, 0, 0};
  for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
    set_adapter(session, kNames[order[i]]);
    answer_messages(session, &message, 1, &kShort, &switched);
    assert_string_equal(switched.text, fresh[order[i]].text);
    const char *name = et_llm_get_adapter(session);
    assert_true((name == NULL) == (kNames[order[i]] == NULL));
    if (name != NULL) {
      assert_string_equal(name, kNames[order[i]]);
    }
  }
  et_llm_session_destroy(session);
}

static void test_conversation_is_processed_again_with_the_new_adapter(
    void **state) {
  (void)state;
  et_llm_session *session = new_session();
  const et_llm_message messages[] = {user_message("Hello!"),
                                     {ET_CHAT_ASSISTANT, "Hi.", 3},
                                     user_message("And another one?")};
  answer text;
  answer fresh;
  answer_fresh("legal", messages, 3, &fresh);
  answer_messages(session, messages, 1, &kShort, &text);
  const size_t count = token_count(session);
  set_adapter(session, "legal");
  assert_int_equal(token_count(session), count);
  answer_messages(session, messages, 3, &kShort, &text);
  assert_int_equal(et_llm_get_stats(session)->reused_tokens, 0);
  assert_string_equal(text.text, fresh.text);
  /* The same adapter keeps the cache. */
  set_adapter(session, "legal");
  answer_messages(session, messages, 3, &kShort, &text);
  assert_true(et_llm_get_stats(session)->reused_tokens > 0);
  assert_string_equal(text.text, fresh.text);
  et_llm_session_destroy(session);
}

static void test_sessions_have_their_own_adapters(void **state) {
  (void)state;
  const et_llm_message message = user_message("Hello!");
  et_llm_session *sessions[3];
  answer fresh;
  answer text;
  for (size_t i = 0; i < 3; ++i) {
    sessions[i] = new_session();
    set_adapter(sessions[i], kNames[i]);
  }
  for (size_t i = 0; i < 3; ++i) {
    answer_messages(sessions[i], &message, 1, &kShort, &text);
    answer_fresh(kNames[i], &message, 1, &fresh);
    assert_string_equal(text.text, fresh.text);
  }
  for (size_t i = 0; i < 3; ++i) {
    et_llm_session_destroy(sessions[i]);
  }
}

static void test_switching_ends_the_generation(void **state) {
  (void)state;
  et_llm_session *session = new_session();
  const et_llm_message message = user_message("Hello!");
  const et_llm_prompt prompt = {.messages = &message, .message_count = 1};
  et_llm_piece piece;
  assert_int_equal(et_llm_begin(session, &prompt, &kShort, &error),
                   ET_STATUS_OK);
  assert_int_equal(et_llm_next(session, &piece, &error), ET_STATUS_OK);
  set_adapter(session, "support");
  assert_int_equal(et_llm_next(session, &piece, &error),
                   ET_STATUS_INVALID_STATE);
  et_llm_session_destroy(session);
}

static void test_unknown_adapter_is_named(void **state) {
  (void)state;
  et_llm *plain = NULL;
  et_llm_session *session = new_session();
  assert_int_equal(et_llm_set_adapter(session, "sales", &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "unknown adapter 'sales'; the model has: legal, support");
  et_llm_session_destroy(session);
  assert_int_equal(et_llm_create(&small, 1, &plain, &error), ET_STATUS_OK);
  assert_int_equal(et_llm_session_create(plain, &session, &error),
                   ET_STATUS_OK);
  assert_int_equal(et_llm_set_adapter(session, "legal", &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message,
                      "unknown adapter 'legal'; the model has: none");
  et_llm_session_destroy(session);
  et_llm_destroy(plain);
}

/* Returns a 16-byte aligned copy of a file. */
static uint8_t *copy_file(et_span file) {
  uint8_t *copy = aligned_alloc(64, (file.size + 63) / 64 * 64);
  assert_non_null(copy);
  memcpy(copy, file.data, file.size);
  return copy;
}

/* Replaces each "adapter_b" by "adapter_x". */
static void rename_matrices(uint8_t *bytes, size_t size) {
  static const char kName[] = "adapter_b";
  const size_t length = sizeof kName - 1;
  for (size_t i = 0; i + length <= size; ++i) {
    if (memcmp(bytes + i, kName, length) == 0) {
      bytes[i + length - 1] = 'x';
    }
  }
}

static void test_session_keeps_its_adapter_if_a_file_is_wrong(void **state) {
  (void)state;
  const et_span good = kModel->adapters[0].weights;
  uint8_t *renamed = copy_file(good);
  rename_matrices(renamed, good.size);
  const et_llm_adapter adapters[] = {
      kModel->adapters[1],
      {"cut", {good.data, good.size / 2}},
      {"renamed", {renamed, good.size}},
      {"program", kModel->program},
  };
  const et_status expected[] = {ET_STATUS_OK, ET_STATUS_INVALID_EXTERNAL_DATA,
                                ET_STATUS_NOT_FOUND,
                                ET_STATUS_INVALID_EXTERNAL_DATA};
  et_llm_model model = *kModel;
  model.adapters = adapters;
  model.adapter_count = 4;
  et_llm *own = NULL;
  et_llm_session *session = NULL;
  const et_llm_message message = user_message("Hello!");
  answer first;
  answer again;
  assert_int_equal(et_llm_create(&model, 1, &own, &error), ET_STATUS_OK);
  assert_int_equal(et_llm_session_create(own, &session, &error), ET_STATUS_OK);
  set_adapter(session, "support");
  answer_messages(session, &message, 1, &kShort, &first);
  for (size_t i = 1; i < 4; ++i) {
    assert_int_equal(et_llm_set_adapter(session, adapters[i].name, &error),
                     expected[i]);
    if (i != 2) {
      assert_non_null(strstr(error.message, adapters[i].name));
    } else {
      assert_non_null(strstr(error.message, "adapter_b"));
    }
    assert_string_equal(et_llm_get_adapter(session), "support");
    answer_messages(session, &message, 1, &kShort, &again);
    assert_string_equal(first.text, again.text);
  }
  et_llm_session_destroy(session);
  et_llm_destroy(own);
  free(renamed);
}

static void test_program_stores_the_base_weights_once(void **state) {
  (void)state;
  /* 0 of each size, and tables. */
  assert_true(kModel->weights.size < 32768);
  /* Instructions and tables of the low-rank products. */
  assert_true(kModel->program.size < small.program.size + 65536);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scores_are_those_of_the_merged_weights),
      cmocka_unit_test(test_switching_gives_the_answers_of_fresh_sessions),
      cmocka_unit_test(
          test_conversation_is_processed_again_with_the_new_adapter),
      cmocka_unit_test(test_sessions_have_their_own_adapters),
      cmocka_unit_test(test_switching_ends_the_generation),
      cmocka_unit_test(test_unknown_adapter_is_named),
      cmocka_unit_test(test_session_keeps_its_adapter_if_a_file_is_wrong),
      cmocka_unit_test(test_program_stores_the_base_weights_once),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
