#include "executorch/text/sampler.h"

#include <math.h>
#include <stdbool.h>

static uint32_t highest(const float *scores, size_t count) {
  size_t best = 0;
  for (size_t i = 1; i < count; ++i) {
    if (scores[i] > scores[best] ||
        (isnan(scores[best]) && !isnan(scores[i]))) {
      best = i;
    }
  }
  return (uint32_t)best;
}

void et_sampler_penalize(const et_sampler_options *options, float *scores,
                         const uint32_t *uses, size_t count) {
  const float repetition =
      options->repetition == 0.0F ? 1.0F : options->repetition;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t occurrences = uses[i] & ~ET_SAMPLER_IN_PROMPT;
    if (uses[i] != 0) {
      scores[i] =
          scores[i] > 0.0F ? scores[i] / repetition : scores[i] * repetition;
    }
    if (occurrences != 0) {
      scores[i] -= options->presence + options->frequency * (float)occurrences;
    }
  }
}

/* Lists the tokens with at least the minimum probability. `probability` is
 * relative to the most probable token, which has 1. */
static size_t list_choices(const et_sampler_options *options,
                           const float *scores, size_t count,
                           et_sampler_choice *work) {
  const float best = scores[highest(scores, count)];
  size_t listed = 0;
  for (size_t i = 0; i < count; ++i) {
    const float probability = expf((scores[i] - best) / options->temperature);
    if (probability > 0.0F && probability >= options->min_p) {
      work[listed++] = (et_sampler_choice){probability, (uint32_t)i};
    }
  }
  return listed;
}

/* Orders choices by descending probability, then by ascending token. */
static bool precedes(et_sampler_choice a, et_sampler_choice b) {
  return a.probability > b.probability ||
         (a.probability == b.probability && a.token < b.token);
}

/* Restores the heap order below heap[i]. */
static void sift(et_sampler_choice *heap, size_t count, size_t i) {
  for (size_t below = 2 * i + 1; below < count; below = 2 * i + 1) {
    if (below + 1 < count && precedes(heap[below + 1], heap[below])) {
      ++below;
    }
    if (!precedes(heap[below], heap[i])) {
      return;
    }
    const et_sampler_choice moved = heap[i];
    heap[i] = heap[below];
    heap[below] = moved;
    i = below;
  }
}

static void make_heap(et_sampler_choice *choices, size_t count) {
  for (size_t i = count / 2; i > 0; --i) {
    sift(choices, count, i - 1);
  }
}

/* Removes the first choice from the heap, and stores it after the heap's new
 * end. */
static void take_first(et_sampler_choice *heap, size_t count) {
  const et_sampler_choice first = heap[0];
  heap[0] = heap[count - 1];
  heap[count - 1] = first;
  sift(heap, count - 1, 0);
}

static float sum_of(const et_sampler_choice *choices, size_t count) {
  float sum = 0.0F;
  for (size_t i = 0; i < count; ++i) {
    sum += choices[i].probability;
  }
  return sum;
}

/* Applies top-k and top-p. Returns the start of the remaining choices, which end at `count`. */
static size_t cut(const et_sampler_options *options, et_sampler_choice *work,
                  size_t count) {
  const bool by_part = options->top_p > 0.0F && options->top_p < 1.0F;
  if (options->top_k == 0 && !by_part) {
    return 0;
  }
  const size_t most = options->top_k == 0 ? count : options->top_k;
  const float wanted =
      by_part ? options->top_p * sum_of(work, count) : INFINITY;
  make_heap(work, count);
  size_t left = count;
  for (float sum = 0.0F; left > 0 && count - left < most && sum < wanted;) {
    take_first(work, left--);
    sum += work[left].probability;
  }
  return left;
}

/* Returns a random number in [0, 1), from SplitMix64 (Steele, Lea and Flood, 2014). */
static float draw(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t bits = *state;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
  return (float)((bits ^ bits >> 31) >> 40) * 0x1p-24F;
}

static uint32_t pick(const et_sampler_choice *choices, size_t count,
                     float point) {
  float left = point * sum_of(choices, count);
  size_t i = 0;
  while (i + 1 < count && left >= choices[i].probability) {
    left -= choices[i++].probability;
  }
  return choices[i].token;
}

uint32_t et_sampler_choose(const et_sampler_options *options,
                           const float *scores, size_t count, uint64_t *state,
                           et_sampler_choice *work) {
  const uint32_t best = highest(scores, count);
  if (!(options->temperature > 0.0F) || isnan(scores[best])) {
    return best;
  }
  const size_t listed = list_choices(options, scores, count, work);
  const size_t first = cut(options, work, listed);
  const float point = draw(state);
  return listed == first ? best : pick(work + first, listed - first, point);
}
