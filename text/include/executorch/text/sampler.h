/* Choosing the next token by its scores. */
#ifndef EXECUTORCH_TEXT_SAMPLER_H_
#define EXECUTORCH_TEXT_SAMPLER_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to choose. All zero: the token of the highest score, the first of equals. */
typedef struct et_sampler_options {
  float temperature; /* 0: the highest score; else scores are divided by it */
  uint32_t top_k;    /* only the k most probable; 0: all */
  float
      top_p; /* only the most probable that have this share together; 0 or 1: all */
  float
      min_p; /* only those of at least this share of the most probable; 0: all */
  float
      repetition; /* divides positive scores of tokens seen, multiplies negative ones
                        (Keskar et al., 2019); 0 or 1: none */
} et_sampler_options;

/* A token with its share. */
typedef struct et_sampler_choice {
  float share;
  uint32_t token;
} et_sampler_choice;

/* Makes the scores of the tokens in `seen` smaller by `repetition`, once each as `seen` is
 * read; numbers that are no tokens are left out. */
void et_sampler_penalize(float repetition, float *scores, size_t count,
                         const int64_t *seen, size_t seen_count);

/* The token chosen of `count` scores, at least one. `state` is the seed at first, and is
 * moved on by each call that draws. `work` has room for `count`. Scores that are not
 * numbers are never chosen, unless none is one: then token 0 is. */
uint32_t et_sampler_choose(const et_sampler_options *options,
                           const float *scores, size_t count, uint64_t *state,
                           et_sampler_choice *work);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_TEXT_SAMPLER_H_ */
