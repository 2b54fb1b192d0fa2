/* Selection of the next token. */
#include <math.h>
#include <string.h>

#include "llm/session.h"

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

/* Sets *out_scores to the scores after biases, penalties and the processor. */
static et_status change_scores(et_llm_session *session,
                               const float **out_scores, et_error *error) {
  const et_llm_generation *options = &session->options;
  const size_t vocabulary = session->llm->info.vocabulary;
  const bool penalizes = has_penalties(&options->sampling);
  float *scores = session->changed_scores;
  *out_scores = session->scores;
  if (options->bias_count == 0 && !penalizes && options->processor == NULL) {
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

et_status llm_select(et_llm_session *session, int64_t *out_token,
                     et_error *error) {
  const float *scores = NULL;
  ET_RETURN_IF_ERROR(change_scores(session, &scores, error));
  const uint32_t token = et_sampler_choose(&session->options.sampling, scores,
                                           session->llm->info.vocabulary,
                                           &session->random, session->choices);
  if (!(scores[token] > -INFINITY)) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "no token has a score above -infinity; biases and the logit "
                   "processor must leave at least one");
  }
  if (has_penalties(&session->options.sampling)) {
    ++session->uses[token];
  }
  *out_token = token;
  return ET_STATUS_OK;
}
