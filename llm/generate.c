/* Processing of prompts, and generation. */
#include <string.h>

#include "llm/session.h"

enum { kMinKeptTokens = 4 };

const char *et_llm_finish_text(et_llm_finish finish) {
  switch (finish) {
#define ET_LLM_FINISH_CASE(name, text) \
  case ET_LLM_FINISH_##name:           \
    return text;
    ET_LLM_FINISH_LIST(ET_LLM_FINISH_CASE)
#undef ET_LLM_FINISH_CASE
  }
  return "unknown";
}

static size_t min_size(size_t a, size_t b) { return a < b ? a : b; }

static size_t max_size(size_t a, size_t b) { return a > b ? a : b; }

static uint64_t now(const et_llm_session *session) {
  uint64_t (*clock)(void) = session->llm->options.clock;
  return clock != NULL ? clock() : 0;
}

static double seconds_since(const et_llm_session *session, uint64_t start) {
  return (double)(now(session) - start) * 1e-9;
}

/* Runs a method on tokens [cached, cached + count), which start at their positions. */
static et_status run_method(et_llm_session *session, et_method *method,
                            size_t count, et_error *error) {
  const int64_t *tokens = session->tokens + session->cached;
  const int32_t sizes[2] = {1, (int32_t)count};
  const et_value *scores = NULL;
  for (size_t i = 0; i < count; ++i) {
    session->positions[i] = (int64_t)(session->cached + i);
  }
  ET_RETURN_IF_ERROR(et_method_set_input(method, 0, ET_SCALAR_TYPE_INT64, sizes,
                                         2, tokens, count * sizeof *tokens,
                                         error));
  ET_RETURN_IF_ERROR(et_method_set_input(
      method, 1, ET_SCALAR_TYPE_INT64, &sizes[1], 1, session->positions,
      count * sizeof *session->positions, error));
  ET_RETURN_IF_ERROR(et_method_execute(method, error));
  ET_RETURN_IF_ERROR(et_method_get_output(method, 0, &scores, error));
  session->scores = scores->u.as_tensor->data;
  return ET_STATUS_OK;
}

et_status llm_process(et_llm_session *session, et_error *error) {
  if (session->decode == NULL) {
    return et_fail(error, ET_STATUS_INVALID_STATE,
                   "an adapter could not be loaded, nor the previous one; "
                   "open another session");
  }
  while (session->cached < session->count) {
    const size_t left = session->count - session->cached;
    const size_t chunk = session->llm->info.chunk;
    const size_t part = left < chunk ? left : chunk;
    session->scores = NULL;
    if (atomic_load(&session->is_canceled)) {
      return ET_STATUS_OK;
    }
    const et_status status = run_method(
        session, part == 1 ? session->decode : session->prefill, part, error);
    if (status != ET_STATUS_OK) {
      session->scores = NULL;
      session->cached = 0; /* the cache has no defined contents */
      return status;
    }
    session->written = max_size(session->cached == 0 ? 0 : session->written,
                                session->cached + part);
    session->cached += part;
  }
  return ET_STATUS_OK;
}

void llm_stop_generation(et_llm_session *session) {
  session->is_active = false;
  atomic_store(&session->is_canceled, false);
}

/* Keeps at most the first `count` tokens in the cache. Keeps none if a ring has lost a token that the
 * next one sees: it has those from `written` - `ring` on, and token `count` sees those from `count` -
 * `window` + 1 on, so that `written` - `count` must be at most `ring` - `window` + 1, `rewind`. */
static void keep_cached(et_llm_session *session, size_t count) {
  const et_llm_info *info = &session->llm->info;
  if (count < session->cached) {
    const bool is_kept = session->written <= info->ring ||
                         session->written - count <= info->rewind;
    session->cached = is_kept ? count : 0;
  }
}

/* Keeps the first `count` tokens. */
static void keep_tokens(et_llm_session *session, size_t count) {
  keep_cached(session, count);
  if (count < session->count) {
    session->count = count;
    session->scores = NULL;
  }
}

/* Returns the number of tokens at the start of the conversation that sliding does not remove. */
static size_t kept_tokens(const et_llm_session *session,
                          const et_llm_generation *options) {
  if (options->kept_tokens != 0) {
    return options->kept_tokens;
  }
  return session->system_count > kMinKeptTokens ? session->system_count
                                                : (size_t)kMinKeptTokens;
}

/* Removes half of the tokens after the first `kept` ones. Returns false if there are fewer than
 * two. */
static bool slide(et_llm_session *session, size_t kept) {
  if (session->count < kept || session->count - kept < 2) {
    return false;
  }
  const size_t removed = (session->count - kept + 1) / 2;
  memmove(session->tokens + kept, session->tokens + kept + removed,
          (session->count - kept - removed) * sizeof *session->tokens);
  session->count -= removed;
  session->answer_start -=
      session->answer_start < kept
          ? 0
          : min_size(removed, session->answer_start - kept);
  keep_cached(session, kept);
  session->scores = NULL;
  return true;
}

/* Writes a prompt's tokens. If they do not fit, the conversation slides. */
static et_status make_prompt(et_llm_session *session,
                             const et_llm_prompt *prompt,
                             const et_llm_generation *options,
                             size_t *out_count, size_t *out_system_count,
                             et_error *error) {
  const size_t context = session->llm->info.context;
  const bool slides =
      prompt->continues && options->overflow == ET_LLM_OVERFLOW_SLIDE;
  const size_t kept = kept_tokens(session, options);
  size_t used = prompt->continues ? session->count : 0;
  if (slides && used > kept) {
    used = kept + 1;
  }
  ET_RETURN_IF_ERROR(llm_prompt_tokens(session, prompt, context - used,
                                       out_count, out_system_count, error));
  while (slides && session->count + *out_count >= context &&
         slide(session, kept)) {
  }
  return ET_STATUS_OK;
}

/* Makes session->prompt the end of the conversation, or the whole conversation. */
static void take_prompt(et_llm_session *session, bool continues, size_t count) {
  size_t begin = session->count;
  if (!continues) {
    begin = 0;
    while (begin < count && begin < session->count &&
           session->tokens[begin] == session->prompt[begin]) {
      ++begin;
    }
    keep_tokens(session, begin);
  }
  const size_t skipped = continues ? 0 : begin;
  memcpy(session->tokens + begin, session->prompt + skipped,
         (count - skipped) * sizeof *session->tokens);
  session->count = begin + count - skipped;
  /* The last token is processed again if its scores are not available. */
  if (session->cached == session->count) {
    keep_cached(session, session->count - 1);
  }
}

et_status et_llm_begin(et_llm_session *session, const et_llm_prompt *prompt,
                       const et_llm_generation *options, et_error *error) {
  static const et_llm_generation kDefaults;
  const et_llm_generation *chosen = options != NULL ? options : &kDefaults;
  size_t count = 0;
  size_t system_count = 0;
  const uint64_t start = now(session);
  et_error_clear(error);
  ET_RETURN_IF_ERROR(llm_check_generation(session->llm, chosen, error));
  ET_RETURN_IF_ERROR(
      make_prompt(session, prompt, chosen, &count, &system_count, error));
  llm_stop_generation(session);
  take_prompt(session, prompt->continues, count);
  const et_llm_stats stats = {.prompt_tokens = session->count,
                              .reused_tokens = session->cached};
  session->system_count = system_count;
  session->options = *chosen;
  session->random = chosen->seed;
  session->answer_start = session->count;
  session->stats = stats;
  llm_answer_text_start(&session->text, chosen->stops, chosen->stop_count);
  llm_start_uses(session);
  llm_start_grammar(session);
  ET_RETURN_IF_ERROR(llm_process(session, error));
  session->stats.prompt_seconds = seconds_since(session, start);
  session->is_active = true;
  return ET_STATUS_OK;
}

/* Generates a token, and appends it and its text. */
static et_status step(et_llm_session *session, et_llm_piece *piece,
                      et_error *error) {
  const et_llm_generation *options = &session->options;
  int64_t token = -1;
  size_t size = 0;
  if (options->grammar != NULL &&
      !llm_matcher_can_continue(session->mask.matcher)) {
    piece->finish = ET_LLM_FINISH_GRAMMAR;
    return ET_STATUS_OK;
  }
  if (options->max_tokens != 0 &&
      session->stats.generated_tokens == options->max_tokens) {
    piece->finish = ET_LLM_FINISH_LENGTH;
    return ET_STATUS_OK;
  }
  if (session->count == session->llm->info.context &&
      (options->overflow != ET_LLM_OVERFLOW_SLIDE ||
       !slide(session, kept_tokens(session, options)))) {
    piece->finish = ET_LLM_FINISH_CONTEXT;
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(llm_process(session, error));
  if (session->scores == NULL || atomic_load(&session->is_canceled)) {
    piece->finish = ET_LLM_FINISH_CANCELED;
    return ET_STATUS_OK;
  }
  ET_RETURN_IF_ERROR(llm_select(session, &token, error));
  if (llm_is_stop(session, token)) {
    piece->finish = ET_LLM_FINISH_STOP;
    return ET_STATUS_OK;
  }
  session->tokens[session->count++] = token;
  ++session->stats.generated_tokens;
  const char *bytes =
      et_bpe_piece(session->llm->model.vocabulary, token, &size);
  if (llm_answer_text_push(&session->text, bytes, size, &piece->size)) {
    piece->finish = ET_LLM_FINISH_STOP_STRING;
  }
  piece->token = token;
  return ET_STATUS_OK;
}

et_status et_llm_next(et_llm_session *session, et_llm_piece *out_piece,
                      et_error *error) {
  const et_llm_piece empty = {"", 0, -1, ET_LLM_FINISH_NONE};
  *out_piece = empty;
  et_error_clear(error);
  if (!session->is_active) {
    return et_fail(error, ET_STATUS_INVALID_STATE,
                   "no generation is in progress; call et_llm_begin");
  }
  const uint64_t start = now(session);
  const et_status status = step(session, out_piece, error);
  session->stats.generation_seconds += seconds_since(session, start);
  if (status != ET_STATUS_OK) {
    llm_stop_generation(session);
    return status;
  }
  if (out_piece->finish != ET_LLM_FINISH_NONE) {
    session->stats.finish = out_piece->finish;
    llm_stop_generation(session);
    if (out_piece->token < 0) {
      llm_answer_text_end(&session->text, &out_piece->size);
    }
  }
  out_piece->text = session->text.bytes;
  return ET_STATUS_OK;
}

et_status et_llm_generate(et_llm_session *session, const et_llm_prompt *prompt,
                          const et_llm_generation *options,
                          et_llm_text_fn on_text, void *user, et_error *error) {
  et_llm_piece piece = {"", 0, -1, ET_LLM_FINISH_NONE};
  ET_RETURN_IF_ERROR(et_llm_begin(session, prompt, options, error));
  while (piece.finish == ET_LLM_FINISH_NONE) {
    ET_RETURN_IF_ERROR(et_llm_next(session, &piece, error));
    if (piece.size != 0 && on_text != NULL) {
      on_text(user, piece.text, piece.size);
    }
  }
  return ET_STATUS_OK;
}

void et_llm_cancel(et_llm_session *session) {
  atomic_store(&session->is_canceled, true);
}

const et_llm_stats *et_llm_get_stats(const et_llm_session *session) {
  return &session->stats;
}

const int64_t *et_llm_get_tokens(const et_llm_session *session,
                                 size_t *out_count) {
  *out_count = session->count;
  return session->tokens;
}

et_status et_llm_rewind(et_llm_session *session, size_t count,
                        et_error *error) {
  et_error_clear(error);
  if (count > session->count) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "cannot rewind to %zu tokens: the conversation has %zu; "
                   "pass at most that number",
                   count, session->count);
  }
  llm_stop_generation(session);
  keep_tokens(session, count);
  session->system_count = min_size(session->system_count, count);
  return ET_STATUS_OK;
}

et_status et_llm_append(et_llm_session *session, const int64_t *tokens,
                        size_t count, const float **out_scores,
                        et_error *error) {
  const et_llm_info *info = &session->llm->info;
  et_error_clear(error);
  if (count == 0 || count > info->context - session->count) {
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                   "cannot append %zu tokens: the conversation has %zu, and "
                   "the context %zu; rewind the conversation",
                   count, session->count, info->context);
  }
  for (size_t i = 0; i < count; ++i) {
    if (tokens[i] < 0 || (size_t)tokens[i] >= info->vocabulary) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "tokens[%zu] is %lld, but the vocabulary has %zu tokens; "
                     "pass tokens of this model",
                     i, (long long)tokens[i], info->vocabulary);
    }
  }
  llm_stop_generation(session);
  memcpy(session->tokens + session->count, tokens, count * sizeof *tokens);
  session->count += count;
  ET_RETURN_IF_ERROR(llm_process(session, error));
  *out_scores = session->scores;
  return session->scores != NULL
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_STATE,
                       "the session was canceled while it processed tokens; "
                       "append them again after rewinding");
}
