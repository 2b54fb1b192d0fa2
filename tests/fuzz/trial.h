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

/* Of a program: itself, and data files (.ptd). */
#define ET_TRIAL_FILES 4

/* Loads every method of the program files[0], whose data files are the others, and
 * executes it twice. Inputs lie in blocks of exactly their size, with fewer
 * elements than the bound where they are dynamic; outputs are read to their last
 * byte. Counts what happened. */
void et_try_program(const et_span *files, size_t count, et_random *random,
                    et_trials *trials);

#endif /* ET_TESTS_FUZZ_TRIAL_H_ */
