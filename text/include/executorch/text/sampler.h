/* Selection of the next token from a model's scores (logits). */
#ifndef EXECUTORCH_TEXT_SAMPLER_H_
#define EXECUTORCH_TEXT_SAMPLER_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sampling options. All zero selects the token with the highest score; the first one wins a tie. */
typedef struct et_sampler_options {
  float temperature; /* divisor of the scores; 0: highest score wins */
  uint32_t top_k;    /* only the k most probable tokens; 0: all */
  /* smallest set with at least this total probability; 0 or 1: all */
  float top_p;
  float min_p; /* minimum probability, relative to the highest; 0: all */
  /* Repetition penalty (Keskar et al., 2019): divides positive scores of tokens
   * in the prompt or the answer, and multiplies negative ones. 0 or 1: none. */
  float repetition;
  float presence;  /* subtracted from scores of tokens in the answer */
  float frequency; /* subtracted once for each occurrence in the answer */
} et_sampler_options;

/* A token and its relative probability. */
typedef struct et_sampler_choice {
  float probability;
  uint32_t token;
} et_sampler_choice;

/* A bit of a token's uses: the token is in the prompt. */
#define ET_SAMPLER_IN_PROMPT 0x80000000u

/* Applies the penalties of `options` to the scores of `count` tokens. `uses` has a number for each
 * token: its occurrences in the answer, and ET_SAMPLER_IN_PROMPT. */
void et_sampler_penalize(const et_sampler_options *options, float *scores,
                         const uint32_t *uses, size_t count);

/* Returns the selected token. `count` is at least 1. `state` starts as a seed; each call that draws
 * a random number advances it. `work` has `count` entries. NaN scores are never selected; if
 * all are NaN, returns token 0. */
uint32_t et_sampler_choose(const et_sampler_options *options,
                           const float *scores, size_t count, uint64_t *state,
                           et_sampler_choice *work);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_SAMPLER_H_ */
