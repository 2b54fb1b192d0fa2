/* Conversion of prompts to tokens. */
#include <string.h>

#include "llm/session.h"

/* The tokens of a prompt so far. */
typedef struct writer {
  et_llm_session *session;
  size_t capacity;
  size_t count;
  et_error *error;
} writer;

static et_status fail_context(const writer *to) {
  const size_t context = to->session->llm->info.context;
  return et_fail(to->error, ET_STATUS_OUT_OF_RESOURCES,
                 "the prompt and the first token of its answer do not fit: the "
                 "context has %zu tokens, and the conversation %zu; shorten "
                 "the prompt, rewind the conversation, or allow it to slide",
                 context, context - to->capacity);
}

static et_status check_messages(const writer *to, const et_llm_prompt *prompt,
                                const et_chat_request *request) {
  const size_t limit = to->session->llm->info.message_bytes;
  size_t index = 0;
  const char *reason =
      et_chat_check(to->session->llm->model.chat, request, &index);
  if (reason != NULL) {
    return et_fail(to->error, ET_STATUS_INVALID_ARGUMENT, "messages[%zu] %s",
                   index, reason);
  }
  for (size_t i = 0; i < prompt->message_count; ++i) {
    if (prompt->messages[i].size > limit) {
      return et_fail(to->error, ET_STATUS_INVALID_ARGUMENT,
                     "messages[%zu] has %zu bytes, more than the limit of %zu; "
                     "shorten it, or raise et_llm_options.message_bytes",
                     i, prompt->messages[i].size, limit);
    }
  }
  return ET_STATUS_OK;
}

static et_status write_request(const writer *to, const et_chat_request *request,
                               size_t *out_count) {
  const et_llm_session *session = to->session;
  const et_llm_model *model = &session->llm->model;
  *out_count = et_chat_tokens(model->chat, model->vocabulary, request,
                              session->prompt, to->capacity, &session->work);
  return *out_count == ET_CHAT_TOO_LONG ? fail_context(to) : ET_STATUS_OK;
}

/* Writes all messages, up to the start of the answer. */
static et_status add_messages(writer *to, const et_llm_prompt *prompt,
                              size_t *out_system_count) {
  const bool continues = prompt->continues && to->session->count != 0;
  const et_chat_request request = {
      prompt->messages, prompt->message_count,
      continues ? ET_CHAT_AFTER_ANSWER : ET_CHAT_BEGIN, true};
  ET_RETURN_IF_ERROR(check_messages(to, prompt, &request));
  if (!continues) {
    const et_chat_request start = {
        prompt->messages, prompt->messages[0].role == ET_CHAT_SYSTEM ? 1 : 0,
        ET_CHAT_BEGIN, false};
    ET_RETURN_IF_ERROR(write_request(to, &start, out_system_count));
  }
  return write_request(to, &request, &to->count);
}

static et_status add_tokens(writer *to, const et_llm_prompt *prompt) {
  const size_t vocabulary = to->session->llm->info.vocabulary;
  if (prompt->token_count >= to->capacity) {
    return fail_context(to);
  }
  for (size_t i = 0; i < prompt->token_count; ++i) {
    if (prompt->tokens[i] < 0 || (size_t)prompt->tokens[i] >= vocabulary) {
      return et_fail(to->error, ET_STATUS_INVALID_ARGUMENT,
                     "tokens[%zu] is %lld, but the vocabulary has %zu tokens; "
                     "pass tokens of this model",
                     i, (long long)prompt->tokens[i], vocabulary);
    }
    to->session->prompt[i] = prompt->tokens[i];
  }
  to->count = prompt->token_count;
  return ET_STATUS_OK;
}

et_status llm_prompt_tokens(et_llm_session *session,
                            const et_llm_prompt *prompt, size_t capacity,
                            size_t *out_count, size_t *out_system_count,
                            et_error *error) {
  writer to = {session, capacity, 0, error};
  *out_system_count = prompt->continues ? session->system_count : 0;
  if ((prompt->message_count != 0) == (prompt->token_count != 0)) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "the prompt has %zu messages and %zu tokens; set exactly "
                   "one of them",
                   prompt->message_count, prompt->token_count);
  }
  ET_RETURN_IF_ERROR(prompt->message_count != 0
                         ? add_messages(&to, prompt, out_system_count)
                         : add_tokens(&to, prompt));
  *out_count = to.count;
  return ET_STATUS_OK;
}
