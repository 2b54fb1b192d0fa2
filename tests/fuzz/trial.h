/* Running a program that may be damaged, with the real kernels. */
#ifndef ET_TESTS_FUZZ_TRIAL_H_
#define ET_TESTS_FUZZ_TRIAL_H_

#include "executorch/span.h"
#include "tests/fuzz/random.h"

typedef struct et_trials {
  size_t programs;  /* tried */
  size_t loaded;    /* methods that were accepted */
  size_t completed; /* executions that returned OK */
  size_t stopped;   /* executions cut off after many instructions */
  size_t refused;   /* executions that returned an error */
} et_trials;

/* Loads every method of a program and executes it twice. Inputs lie in blocks
 * of exactly their size, with fewer elements than the bound where they are
 * dynamic; outputs are read to their last byte. Counts what happened. */
void et_try_program(et_span program, et_random *random, et_trials *trials);

#endif /* ET_TESTS_FUZZ_TRIAL_H_ */
