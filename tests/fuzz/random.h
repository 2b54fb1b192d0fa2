/* Pseudorandom choices: the same seed gives the same choices on every machine. */
#ifndef ET_TESTS_FUZZ_RANDOM_H_
#define ET_TESTS_FUZZ_RANDOM_H_

#include <stddef.h>

#include "executorch/random.h"

/* Returns a value in [0, count); count is positive. */
static inline size_t et_random_below(et_random *random, size_t count) {
  return (size_t)((et_random_next(random) >> 16) % count);
}

#endif /* ET_TESTS_FUZZ_RANDOM_H_ */
