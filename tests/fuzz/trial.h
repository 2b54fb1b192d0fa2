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
  size_t leaks;    /* methods whose outputs depend on what memory held before */
  size_t overruns; /* instances that wrote around their memory */
} et_trials;

/* Of a program: itself, and data files (.ptd). */
#define ET_TRIAL_FILES 4

/* Loads every method of the program files[0], whose data files are the others, twice,
 * in memory with different contents, and executes both instances twice on the same
 * inputs. Each region of memory, input and output is between inaccessible pages. Dynamic
 * inputs often have fewer elements than the bound. Counts the results: all that the
 * executions return must be equal. */
void et_try_program(const et_span *files, size_t count, et_random *random,
                    et_trials *trials);

#endif /* ET_TESTS_FUZZ_TRIAL_H_ */
