/* Replaying recorded calls on a program. */
#ifndef ET_RUNTIME_REPLAY_REPLAY_H_
#define ET_RUNTIME_REPLAY_REPLAY_H_

#include <stdbool.h>
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
  bool allows_rounding;      /* adds the recorded rounding to `atol` where it is
                           larger than a step */
  uint32_t shared_memory_id; /* which all methods share; 0 for none */
  et_similarity least;       /* of a quantized model to the float one */
  const et_output_tolerance
      *outputs; /* ET_REPLAY_MAX_OUTPUTS of them, or NULL */
} et_replay_options;

/* call: the number of the call that failed, or of all calls.
 * differs: it failed because an output is outside its tolerance. */
typedef struct et_replay_result {
  uint32_t call;
  bool differs;
} et_replay_result;

/* Loads `program`, which is open, the methods that the calls name, makes the
 * calls in order and compares all outputs. A quantized one has one step added to
 * its atol. Prints on standard output the memory of each method and,
 * for each output, the largest absolute and relative error, and how like the
 * float model's it is.
 *
 * Fails with the first call that does not answer as recorded: INVALID_TYPE for
 * a wrong output, INVALID_STATE for another status than the recorded one, else
 * the status of the call. */
et_status et_replay(const et_program *program, et_span calls_file,
                    const et_registry *registry,
                    const et_replay_options *options,
                    et_replay_result *out_result, et_error *error);

#endif /* ET_RUNTIME_REPLAY_REPLAY_H_ */
