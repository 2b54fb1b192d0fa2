/* Where a program leaves what PyTorch computes. */
#ifndef ET_RUNTIME_REPLAY_DEVIATION_H_
#define ET_RUNTIME_REPLAY_DEVIATION_H_

#include <stdint.h>

#include "executorch/span.h"
#include "executorch/status.h"
#include "runtime/replay/replay.h"

/* Makes the calls of `steps_file` (exir/cli/reporting/steps.py), those of the file that
 * et_replay took, up to number `call`, and says on standard error which instruction of
 * that one is the first whose result is not what PyTorch gives, with its line of the
 * model, or that none is. Results are compared within the tolerance of `options`,
 * those of a quantized model by the least signal-to-noise ratio.
 *
 * Fails for a file that is damaged or of another program, and as loading does. */
et_status et_deviation_print(const et_program *program, et_span steps_file,
                             uint32_t call, const et_registry *registry,
                             const et_replay_options *options, et_error *error);

#endif /* ET_RUNTIME_REPLAY_DEVIATION_H_ */
