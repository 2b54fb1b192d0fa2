/* Runs a program that may be damaged, with the real kernels. */
#ifndef ET_TESTS_FUZZ_TRIAL_H_
#define ET_TESTS_FUZZ_TRIAL_H_

#include "executorch/span.h"
#include "tests/fuzz/mutate.h"

typedef struct et_trials {
  size_t programs;  /* programs that were tried */
  size_t loaded;    /* methods that were accepted */
  size_t completed; /* executions that returned OK */
  size_t stopped;   /* executions cut off after many instructions */
  size_t refused;   /* executions that returned an error */
  size_t leaks;     /* methods whose outputs depend on uninitialized memory */
  size_t overruns;  /* instances that wrote outside of their memory */
} et_trials;

/* The maximum number of files: the program, and data files (.ptd). */
#define ET_TRIAL_FILES 4

/* Loads every method of the program files[0] twice, in memory with different contents,
 * and executes both instances twice on the same inputs. The other files are its data
 * files. Each region of memory, input and output is between inaccessible pages. Dynamic
 * inputs often have fewer elements than the bound. Counts the results: all executions
 * must return equal results. */
void et_try_program(const et_span *files, size_t count, et_random *random,
                    et_trials *trials);

#endif /* ET_TESTS_FUZZ_TRIAL_H_ */
