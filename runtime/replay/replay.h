/* Replays recorded calls on a program, and compares the outputs. */
#ifndef ET_RUNTIME_REPLAY_REPLAY_H_
#define ET_RUNTIME_REPLAY_REPLAY_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/backend.h"
#include "executorch/program.h"
#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/replay/compare.h"

/* Limit on output indices that can have their own tolerance. */
#define ET_REPLAY_MAX_OUTPUTS 64

/* Tolerance of one output. A negative value selects the common tolerance. */
typedef struct et_output_tolerance {
  double atol;
  double rtol;
} et_output_tolerance;

typedef struct et_replay_options {
  et_tolerance tolerance;
  /* Add the recorded rounding to `atol` if it exceeds one step. */
  bool allows_rounding;
  uint32_t shared_memory_id; /* memory id shared by all methods; 0: none */
  /* Minimum similarity of a quantized model to the float model. */
  et_similarity least;
  const et_output_tolerance
      *outputs; /* ET_REPLAY_MAX_OUTPUTS entries, or NULL */
} et_replay_options;

/* `call` is the index of the failed call, or the number of calls. `differs` is
 * set if the call failed because an output is outside its tolerance. */
typedef struct et_replay_result {
  uint32_t call;
  bool differs;
} et_replay_result;

/* Replays the calls on an open program.
 *
 * Loads the methods that the calls name, runs the calls in order, and compares
 * all outputs. The atol of a quantized output is increased by one step. Prints
 * to stdout: each method's memory, and each output's largest absolute and
 * relative error and similarity to the float model.
 *
 * Fails at the first call with an unexpected result. INVALID_TYPE: an output is
 * wrong. INVALID_STATE: the status differs from the recorded one. Otherwise,
 * returns the call's status. */
et_status et_replay(const et_program *program, et_span calls_file,
                    const et_registry *registry,
                    const et_replay_options *options,
                    et_replay_result *out_result, et_error *error);

/* Runs the calls in `steps_file` (exir/cli/reporting/instruction_values.py) up to call
 * number `call`.
 *
 * They are the calls that et_replay received. Prints the first instruction of
 * the last call whose result differs from PyTorch's, with its line in the
 * model, or that there is none. The output goes to stderr. Results must be
 * within the tolerance of `options`, or reach the minimum SQNR if the model is
 * quantized.
 *
 * Fails if the file is damaged or belongs to another program, or if loading
 * fails. */
et_status et_deviation_print(const et_program *program, et_span steps_file,
                             uint32_t call, const et_registry *registry,
                             const et_replay_options *options, et_error *error);

#endif /* ET_RUNTIME_REPLAY_REPLAY_H_ */
