/* Code shared by windowed ops (convolutions and pooling). The second part is for pooling only. */
#ifndef BACKENDS_CPU_OPS_WINDOW_H_
#define BACKENDS_CPU_OPS_WINDOW_H_

#include "backends/cpu/microkernels/pool.h"
#include "backends/cpu/microkernels/window.h"
#include "backends/cpu/ops/op.h"
#include "backends/cpu/schema/pool_f32.h"
#include "backends/cpu/schema/records.h"

/* Returns the size of the output along axis 0 (y) or 1 (x) for `in` elements, or 0 if the
 * window is larger than the padded input. */
int64_t et_cpu_window_output_size(const et_cpu_window_attributes *window,
                                  size_t axis, int64_t in);

/* Checks that `window` maps images of size in[0] x in[1] to images of size out[0] x out[1]. The
 * kernel must not be empty. */
et_status et_cpu_check_window_sizes(const et_cpu_op *op,
                                    const et_cpu_window_attributes *window,
                                    const int32_t *in, const int32_t *out,
                                    et_error *error);

/* Returns the window for images of size in[0] x in[1] and outputs of size out[0] x out[1]. */
et_cpu_window et_cpu_window_of(const et_cpu_window_attributes *window,
                               const int32_t *in, const int32_t *out);

/* The second part, for `pool_f32` and `pool_qs8` only: checks and the division of work. */

/* Checks the relations between the sizes of x and y and the window. */
et_status et_cpu_check_pool(const et_cpu_op *op,
                            const et_cpu_pool_f32_args *args, et_error *error);

/* Returns the arguments of the microkernels. */
et_cpu_pool et_cpu_pool_of(const et_cpu_pool_f32_args *args);

/* A range of channels of a row of the output. */
typedef struct et_cpu_pool_part {
  size_t image; /* elements of x before the image */
  size_t row;   /* row within the output image */
  size_t first; /* first channel */
  size_t channels;
  size_t out; /* elements of y before the row */
} et_cpu_pool_part;

size_t et_cpu_pool_parts(const et_cpu_tensor *y);
et_cpu_pool_part et_cpu_pool_part_at(const et_cpu_pool *pool, size_t index);

#endif /* BACKENDS_CPU_OPS_WINDOW_H_ */
