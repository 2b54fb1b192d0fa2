/* Replaying recorded calls on a program. */
#ifndef ET_RUNTIME_REPLAY_REPLAY_H_
#define ET_RUNTIME_REPLAY_REPLAY_H_

#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/program.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/replay/compare.h"
#include "runtime/replay/similarity.h"

/* Outputs that may have tolerances of their own: those of lower numbers. */
#define ET_REPLAY_MAX_OUTPUTS 64

/* In place of the tolerance of all; negative for that. */
typedef struct et_output_tolerance {
  double atol;
  double rtol;
} et_output_tolerance;

typedef struct et_replay_options {
  et_tolerance tolerance;
  uint32_t shared_memory_id; /* which all methods share; 0 for none */
  et_similarity least;       /* of a quantized model to the float one */
  const et_output_tolerance
      *outputs; /* ET_REPLAY_MAX_OUTPUTS of them, or NULL */
} et_replay_options;

/* Loads `program`, which is open, the methods that the calls name, makes the
 * calls in order and compares all outputs. An element of a quantized one may be
 * one step off besides. Prints on standard output the memory of each method and,
 * for each output, the largest absolute and relative error, and how like the
 * float model's it is.
 *
 * Fails with the first call that does not answer as recorded: INVALID_TYPE for
 * a wrong output, INVALID_STATE for another status than the recorded one, else
 * the status of the call. *out_call is the number of that call, that of all calls
 * when none failed. */
et_status et_replay(const et_program *program, et_span calls_file,
                    const et_registry *registry,
                    const et_replay_options *options, uint32_t *out_call,
                    et_error *error);

#endif /* ET_RUNTIME_REPLAY_REPLAY_H_ */
