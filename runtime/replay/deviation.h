/* Finds the first instruction whose result differs from PyTorch's. */
#ifndef ET_RUNTIME_REPLAY_DEVIATION_H_
#define ET_RUNTIME_REPLAY_DEVIATION_H_

#include <stdint.h>

#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/replay/replay.h"

/* Runs the calls in `steps_file` (exir/cli/reporting/steps.py) up to call
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

#endif /* ET_RUNTIME_REPLAY_DEVIATION_H_ */
