/* The window that an op's attributes describe. */
#ifndef BACKENDS_CPU_OPS_WINDOW_H_
#define BACKENDS_CPU_OPS_WINDOW_H_

#include "backends/cpu/microkernels/window.h"
#include "backends/cpu/ops/op.h"

/* Words: kernel y, x; stride y, x; padding top, left, bottom, right; dilation y,
 * x. */
#define ET_CPU_WINDOW_WORDS 10

/* That the words from attribute `index` on are a window that takes images of
 * in[0] x in[1] to out[0] x out[1]. */
et_status et_cpu_check_window(const et_cpu_op *op, size_t index,
                              const int32_t *in, const int32_t *out,
                              et_error *error);

/* That the words are a window of any image. */
et_status et_cpu_check_window_words(const et_cpu_op *op, size_t index,
                                    et_error *error);

/* Outputs along axis 0 (y) or 1 (x) of an image of `in` pixels along it. */
int64_t et_cpu_window_outputs(const et_cpu_op *op, size_t index, size_t axis,
                              int64_t in);

et_cpu_window et_cpu_read_window(const et_cpu_op *op, size_t index,
                                 const int32_t *in, const int32_t *out);

#endif /* BACKENDS_CPU_OPS_WINDOW_H_ */
