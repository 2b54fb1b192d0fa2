#include "llm/testing_chat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include MODEL_HEADER

const et_llm_model *const kModel = &MODEL;
const size_t kRowBytes = ROW_BYTES;
const size_t kCachedTokens = CACHED_TOKENS;

et_llm *llm;
et_error error;
const et_llm_generation kShort = {.max_tokens = kAnswer};

int open_model(void **state) {
  (void)state;
  return et_llm_create(kModel, 1, &llm, &error) == ET_STATUS_OK ? 0 : -1;
}

int close_model(void **state) {
  (void)state;
  et_llm_destroy(llm);
  return 0;
}

static void add_text(void *user, const char *text, size_t size) {
  answer *to = user;
  assert_true(size > 0 && to->size + size < kText);
  memcpy(to->text + to->size, text, size);
  to->size += size;
  to->text[to->size] = '\0';
  ++to->calls;
}

et_llm_session *new_session(void) {
  et_llm_session *session = NULL;
  assert_int_equal(et_llm_session_create(llm, &session, &error), ET_STATUS_OK);
  return session;
}

et_llm_message user_message(const char *text) {
  const et_llm_message message = {ET_CHAT_USER, text, strlen(text)};
  return message;
}

void chat(et_llm_session *session, const char *text,
          const et_llm_generation *options, answer *out) {
  memset(out, 0, sizeof *out);
  if (et_llm_chat(session, text, options, add_text, out, &error) !=
      ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

void answer_messages(et_llm_session *session, const et_llm_message *messages,
                     size_t count, const et_llm_generation *options,
                     answer *out) {
  const et_llm_prompt prompt = {.messages = messages, .message_count = count};
  memset(out, 0, sizeof *out);
  if (et_llm_generate(session, &prompt, options, add_text, out, &error) !=
      ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

bool same_tokens(const et_llm_session *a, const et_llm_session *b) {
  size_t a_count = 0;
  size_t b_count = 0;
  const int64_t *a_tokens = et_llm_get_tokens(a, &a_count);
  const int64_t *b_tokens = et_llm_get_tokens(b, &b_count);
  return a_count == b_count &&
         memcmp(a_tokens, b_tokens, a_count * sizeof *a_tokens) == 0;
}

size_t token_count(const et_llm_session *session) {
  size_t count = 0;
  (void)et_llm_get_tokens(session, &count);
  return count;
}
