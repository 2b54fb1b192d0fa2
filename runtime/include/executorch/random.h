/* Random numbers, from a state that the caller keeps. */
#ifndef EXECUTORCH_RANDOM_H_
#define EXECUTORCH_RANDOM_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* xoshiro256++, with a period of 2^256 - 1. Numbers depend on the seed alone, and are
 * not those that PyTorch draws. One thread draws at a time. */
typedef struct et_random {
  uint64_t state[4]; /* never all zero */
} et_random;

/* The state for a seed, which may be any number. */
et_random et_random_seeded(uint64_t seed);

/* The next 64 bits. */
uint64_t et_random_next(et_random *random);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_RANDOM_H_ */
