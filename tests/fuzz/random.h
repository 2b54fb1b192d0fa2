/* Pseudo-random numbers: the same seed gives the same ones everywhere. */
#ifndef ET_TESTS_FUZZ_RANDOM_H_
#define ET_TESTS_FUZZ_RANDOM_H_

#include <stddef.h>
#include <stdint.h>

/* xorshift64*; the state is never 0. */
typedef struct et_random {
  uint64_t state;
} et_random;

static inline et_random et_random_from(uint64_t seed) {
  return (et_random){seed * 0x9e3779b97f4a7c15u + 1u};
}

static inline uint64_t et_random_next(et_random *random) {
  random->state ^= random->state >> 12;
  random->state ^= random->state << 25;
  random->state ^= random->state >> 27;
  return random->state * 0x2545f4914f6cdd1du;
}

/* In [0, count), which is not empty. */
static inline size_t et_random_below(et_random *random, size_t count) {
  return (size_t)((et_random_next(random) >> 16) % count);
}

#endif /* ET_TESTS_FUZZ_RANDOM_H_ */
