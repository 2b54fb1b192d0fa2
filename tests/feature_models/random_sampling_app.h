/* Shown by docs/how_to/random_numbers.md. */
#include "executorch/random.h"
#include "tests/feature_models/random_sampling_cc.h"

static random_sampling_forward_memory memory;

/* Runs the method twice with one random state, which is seeded once. */
static et_status sample_twice(uint64_t seed, const float *scores,
                              int64_t first[8], int64_t second[8],
                              et_error *error) {
  et_random random = et_random_seeded(seed);
  const et_method_options options = {.random = &random};
  random_sampling_forward_method method = {NULL};
  int64_t *const results[2] = {first, second};
  et_status status =
      random_sampling_forward_load(&memory, &options, &method, error);
  for (int run = 0; run < 2 && status == ET_STATUS_OK; run++) {
    const int64_t *tokens = NULL;
    status = random_sampling_forward_set_scores(method, scores, error);
    if (status == ET_STATUS_OK) {
      status = random_sampling_forward_execute(method, error);
    }
    if (status == ET_STATUS_OK) {
      status = random_sampling_forward_get_output_0(method, &tokens, error);
    }
    for (int i = 0; i < 8 && status == ET_STATUS_OK; i++) {
      results[run][i] = tokens[i];
    }
  }
  return status;
}
