/* Pseudorandom numbers from a state that the caller owns. */
#ifndef EXECUTORCH_RANDOM_H_
#define EXECUTORCH_RANDOM_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Generator xoshiro256++ (Blackman and Vigna), with a period of 2^256 - 1.
 *
 * The sequence depends only on the seed, and differs from PyTorch's. Not
 * thread-safe. */
typedef struct et_random {
  uint64_t state[4]; /* never all zero */
} et_random;

/* Returns the initial state for any seed. */
et_random et_random_seeded(uint64_t seed);

/* Returns the next 64 random bits. */
uint64_t et_random_next(et_random *random);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_RANDOM_H_ */
