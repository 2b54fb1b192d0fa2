/* Choices at random: the same seed gives the same ones everywhere. */
#ifndef ET_TESTS_FUZZ_RANDOM_H_
#define ET_TESTS_FUZZ_RANDOM_H_

#include <stddef.h>

#include "executorch/random.h"

/* In [0, count), which is not empty. */
static inline size_t et_random_below(et_random *random, size_t count) {
  return (size_t)((et_random_next(random) >> 16) % count);
}

#endif /* ET_TESTS_FUZZ_RANDOM_H_ */
