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

/* Adds the result of a function of chat_template.h. */
static et_status add(writer *to, size_t added) {
  if (added == ET_CHAT_TOO_LONG) {
    return fail_context(to);
  }
  to->count += added;
  return ET_STATUS_OK;
}

static et_status add_parts(writer *to, const et_chat_parts *parts) {
  const et_llm_session *session = to->session;
  return add(to,
             et_chat_parts_tokens(parts, session->llm->model.vocabulary,
                                  session->prompt + to->count,
                                  to->capacity - to->count, &session->work));
}

static et_status check_message(const writer *to, const et_llm_prompt *prompt,
                               size_t index) {
  const et_llm_message *message = &prompt->messages[index];
  const size_t limit = to->session->llm->info.message_bytes;
  if (message->role > ET_CHAT_ASSISTANT ||
      (message->text == NULL && message->size != 0)) {
    return et_fail(to->error, ET_STATUS_INVALID_ARGUMENT,
                   "messages[%zu] has no valid role or text; set both", index);
  }
  if (message->role == ET_CHAT_SYSTEM &&
      (index != 0 || (prompt->continues && to->session->count != 0))) {
    return et_fail(to->error, ET_STATUS_INVALID_ARGUMENT,
                   "messages[%zu] is a system message, but not the first "
                   "message of the conversation; move it to the start",
                   index);
  }
  return message->size <= limit
             ? ET_STATUS_OK
             : et_fail(to->error, ET_STATUS_INVALID_ARGUMENT,
                       "messages[%zu] has %zu bytes, more than the limit of "
                       "%zu; shorten it, or raise "
                       "et_llm_options.message_bytes",
                       index, message->size, limit);
}

static et_status add_message(writer *to, const et_llm_prompt *prompt,
                             size_t index) {
  const et_llm_message *message = &prompt->messages[index];
  const et_llm_session *session = to->session;
  const et_llm_model *model = &session->llm->model;
  ET_RETURN_IF_ERROR(check_message(to, prompt, index));
  return add(to, et_chat_message(model->chat, model->vocabulary, message->role,
                                 message->size == 0 ? "" : message->text,
                                 message->size, session->prompt + to->count,
                                 to->capacity - to->count, &session->work));
}

/* Writes all messages, up to the start of the answer. */
static et_status add_messages(writer *to, const et_llm_prompt *prompt,
                              size_t *out_system_count) {
  const et_chat_template *chat = to->session->llm->model.chat;
  size_t i = 0;
  if (prompt->continues && to->session->count != 0) {
    /* The end of the previous answer, which the model did not generate. */
    ET_RETURN_IF_ERROR(add_parts(to, &chat->after[ET_CHAT_ASSISTANT]));
  } else if (prompt->messages[0].role == ET_CHAT_SYSTEM) {
    ET_RETURN_IF_ERROR(add_message(to, prompt, i++));
    *out_system_count = to->count;
  } else {
    ET_RETURN_IF_ERROR(add_parts(to, &chat->opening));
    *out_system_count = to->count;
  }
  for (; i < prompt->message_count; ++i) {
    ET_RETURN_IF_ERROR(add_message(to, prompt, i));
  }
  return add_parts(to, &chat->answer);
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
