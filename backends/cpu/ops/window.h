/* Windows of convolutions and pooling. */
#ifndef BACKENDS_CPU_OPS_WINDOW_H_
#define BACKENDS_CPU_OPS_WINDOW_H_

#include "backends/cpu/microkernels/window.h"
#include "backends/cpu/ops/op.h"
#include "backends/cpu/schema/records.h"

/* Returns the size of the output along axis 0 (y) or 1 (x) for `in` elements. It is 0 if the window
 * does not fit. */
int64_t et_cpu_window_output_size(const et_cpu_window_attributes *window,
                                  size_t axis, int64_t in);

/* Checks that `window`, whose kernel is not empty, maps images of size in[0] x in[1] to images of
 * size out[0] x out[1]. */
et_status et_cpu_check_window_sizes(const et_cpu_op *op,
                                    const et_cpu_window_attributes *window,
                                    const int32_t *in, const int32_t *out,
                                    et_error *error);

/* Returns the window for images of size in[0] x in[1] and outputs of size out[0] x out[1]. */
et_cpu_window et_cpu_window_of(const et_cpu_window_attributes *window,
                               const int32_t *in, const int32_t *out);

#endif /* BACKENDS_CPU_OPS_WINDOW_H_ */
