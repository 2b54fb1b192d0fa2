/* Selection of the next token. */
#include <math.h>
#include <string.h>

#include "llm/session.h"

/* Candidates for the most probable token before all tokens are matched with the grammar. */
enum { kGreedyCandidates = 8 };

static et_status check_number(const char *name, double value, double min,
                              double max, et_error *error) {
  return value >= min && value <= max
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "et_llm_generation.sampling.%s is out of range; see "
                       "executorch/text/sampler.h",
                       name);
}

static et_status check_sampling(const et_sampler_options *sampling,
                                et_error *error) {
  const double large = 1e30;
  ET_RETURN_IF_ERROR(
      check_number("temperature", sampling->temperature, 0, large, error));
  ET_RETURN_IF_ERROR(check_number("top_p", sampling->top_p, 0, 1, error));
  ET_RETURN_IF_ERROR(check_number("min_p", sampling->min_p, 0, 1, error));
  ET_RETURN_IF_ERROR(
      check_number("repetition", sampling->repetition, 0, large, error));
  ET_RETURN_IF_ERROR(
      check_number("presence", sampling->presence, -large, large, error));
  return check_number("frequency", sampling->frequency, -large, large, error);
}

static et_status check_token(const et_llm *llm, const char *name, size_t index,
                             int64_t token, et_error *error) {
  return token >= 0 && (size_t)token < llm->info.vocabulary
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "et_llm_generation.%s[%zu] is token %lld, but the "
                       "vocabulary has %zu; pass tokens of this model",
                       name, index, (long long)token, llm->info.vocabulary);
}

et_status llm_check_generation(const et_llm *llm,
                               const et_llm_generation *options,
                               et_error *error) {
  ET_RETURN_IF_ERROR(check_sampling(&options->sampling, error));
  for (size_t i = 0; i < options->stop_count; ++i) {
    const size_t length = strlen(options->stops[i]);
    if (length == 0 || length > llm->info.stop_bytes) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "et_llm_generation.stops[%zu] has %zu bytes, not 1 to "
                     "%zu; change it, or raise et_llm_options.stop_bytes",
                     i, length, llm->info.stop_bytes);
    }
  }
  for (size_t i = 0; i < options->stop_token_count; ++i) {
    ET_RETURN_IF_ERROR(
        check_token(llm, "stop_tokens", i, options->stop_tokens[i], error));
  }
  for (size_t i = 0; i < options->bias_count; ++i) {
    ET_RETURN_IF_ERROR(
        check_token(llm, "biases", i, options->biases[i].token, error));
    if (isnan(options->biases[i].bias)) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "et_llm_generation.biases[%zu] is NaN; pass a number", i);
    }
  }
  if (options->grammar != NULL && llm->model.text_tokens == NULL) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "et_llm_generation.grammar is set, but the model has no "
                   "text_tokens; build it with executorch_llm");
  }
  return options->overflow <= ET_LLM_OVERFLOW_SLIDE
             ? ET_STATUS_OK
             : et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                       "et_llm_generation.overflow is %d, which is not a "
                       "policy; use one of et_llm_overflow",
                       (int)options->overflow);
}

static bool has_penalties(const et_sampler_options *sampling) {
  return (sampling->repetition != 0.0F && sampling->repetition != 1.0F) ||
         sampling->presence != 0.0F || sampling->frequency != 0.0F;
}

void llm_start_uses(et_llm_session *session) {
  if (!has_penalties(&session->options.sampling)) {
    return;
  }
  memset(session->uses, 0,
         session->llm->info.vocabulary * sizeof *session->uses);
  for (size_t i = 0; i < session->count; ++i) {
    session->uses[session->tokens[i]] |= ET_SAMPLER_IN_PROMPT;
  }
}

/* Runs the processor on the scores. */
static et_status process_scores(et_llm_session *session, float *scores,
                                et_error *error) {
  const et_llm_generation *options = &session->options;
  const et_status status = options->processor(
      options->processor_user, scores, session->llm->info.vocabulary,
      session->tokens + session->answer_start,
      session->count - session->answer_start, error);
  return status == ET_STATUS_OK
             ? status
             : et_fail(error, status,
                       "the logit processor failed without a message");
}

/* Sets *out_scores to the scores after biases, penalties and the processor. With a grammar, they are
 * session->changed_scores. */
static et_status change_scores(et_llm_session *session,
                               const float **out_scores, et_error *error) {
  const et_llm_generation *options = &session->options;
  const size_t vocabulary = session->llm->info.vocabulary;
  const bool penalizes = has_penalties(&options->sampling);
  float *scores = session->changed_scores;
  *out_scores = session->scores;
  if (options->bias_count == 0 && !penalizes && options->processor == NULL &&
      options->grammar == NULL) {
    return ET_STATUS_OK;
  }
  *out_scores = scores;
  memcpy(scores, session->scores, vocabulary * sizeof *scores);
  for (size_t i = 0; i < options->bias_count; ++i) {
    scores[options->biases[i].token] += options->biases[i].bias;
  }
  if (penalizes) {
    et_sampler_penalize(&options->sampling, scores, session->uses, vocabulary);
  }
  return options->processor == NULL ? ET_STATUS_OK
                                    : process_scores(session, scores, error);
}

void llm_start_grammar(et_llm_session *session) {
  if (session->options.grammar != NULL) {
    llm_token_mask_start(&session->mask, session->options.grammar);
  }
}

bool llm_is_stop(const et_llm_session *session, int64_t token) {
  for (size_t i = 0; i < session->options.stop_token_count; ++i) {
    if (session->options.stop_tokens[i] == token) {
      return true;
    }
  }
  return et_chat_is_stop(session->llm->model.chat, token);
}

/* Sets the scores of the tokens that the grammar does not permit to -INFINITY. */
static void exclude_tokens(et_llm_session *session) {
  const et_llm_generation *options = &session->options;
  const et_chat_template *chat = session->llm->model.chat;
  const bool can_end = llm_matcher_can_end(session->mask.matcher);
  llm_token_mask_fill(&session->mask);
  for (size_t i = 0; i < options->stop_token_count; ++i) {
    llm_token_mask_set(&session->mask, options->stop_tokens[i], can_end);
  }
  for (size_t i = 0; i < chat->stop_count; ++i) {
    llm_token_mask_set(&session->mask, chat->stops[i], can_end);
  }
  for (size_t i = 0; i < session->llm->info.vocabulary; ++i) {
    if ((session->mask.bits[i / 8] >> i % 8 & 1) == 0) {
      session->changed_scores[i] = -INFINITY;
    }
  }
}

static bool grammar_permits(et_llm_session *session, uint32_t token) {
  return llm_is_stop(session, token)
             ? llm_matcher_can_end(session->mask.matcher)
             : llm_token_mask_permits(&session->mask, token);
}

/* Selects a token that the grammar permits, as if the scores of all others were -INFINITY. The most
 * probable token is mostly one of the first candidates, which are cheaper than a mask. */
static uint32_t choose_in_grammar(et_llm_session *session) {
  const size_t vocabulary = session->llm->info.vocabulary;
  float *scores = session->changed_scores;
  session->mask.matcher->is_limited = false;
  if (session->options.sampling.temperature == 0.0F) {
    for (size_t i = 0; i < kGreedyCandidates; ++i) {
      const uint32_t token =
          et_sampler_choose(&session->options.sampling, scores, vocabulary,
                            &session->random, session->choices);
      if (!(scores[token] > -INFINITY) || grammar_permits(session, token)) {
        return token;
      }
      scores[token] = -INFINITY;
    }
  }
  exclude_tokens(session);
  return et_sampler_choose(&session->options.sampling, scores, vocabulary,
                           &session->random, session->choices);
}

/* Reports that no token can be selected. */
static et_status fail_choice(const et_llm_session *session, et_error *error) {
  if (session->options.grammar == NULL) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "no token has a score above -infinity; biases and the logit "
                   "processor must leave at least one");
  }
  return session->mask.matcher->is_limited
             ? et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                       "the text needs more than %d frames or %d alternatives "
                       "of the grammar; nest less, or make it less ambiguous",
                       (int)LLM_MATCHER_NODES, (int)LLM_MATCHER_MOST_TOPS)
             : et_fail(
                   error, ET_STATUS_INVALID_ARGUMENT,
                   "no token that the grammar permits has a score above "
                   "-infinity; check the biases, the processor, and whether "
                   "the vocabulary can spell the grammar's text");
}

et_status llm_select(et_llm_session *session, int64_t *out_token,
                     et_error *error) {
  const float *scores = NULL;
  ET_RETURN_IF_ERROR(change_scores(session, &scores, error));
  const uint32_t token =
      session->options.grammar != NULL
          ? choose_in_grammar(session)
          : et_sampler_choose(&session->options.sampling, scores,
                              session->llm->info.vocabulary, &session->random,
                              session->choices);
  if (!(scores[token] > -INFINITY)) {
    return fail_choice(session, error);
  }
  /* The mask of an equal stack may permit a token that exceeds the limits of this one. */
  if (session->options.grammar != NULL && !llm_is_stop(session, token) &&
      !llm_token_mask_accept(&session->mask, token)) {
    return fail_choice(session, error);
  }
  if (has_penalties(&session->options.sampling)) {
    ++session->uses[token];
  }
  *out_token = token;
  return ET_STATUS_OK;
}
