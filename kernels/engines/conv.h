/* Convolution. */
#ifndef ET_KERNELS_ENGINES_CONV_H_
#define ET_KERNELS_ENGINES_CONV_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "kernels/engines/conv_geometry.h"

/* ---- Loops ---- */

/* Returns true if et_conv_float32 supports the convolution: float32, not
 * transposed, all operands in row-major order. */
bool et_conv_is_plain(const et_conv *conv);

/* Returns the scratch bytes of et_conv_float32; 0 if it does not apply. See
 * executorch/kernels/scratch.h. */
size_t et_conv_scratch(const et_conv *conv);

/* Fast path. Depthwise convolutions run a direct loop; others run a GEMM over a
 * panel of the input that is gathered into `scratch` (im2col). */
void et_conv_float32(const et_conv *conv, et_mutable_span scratch);

/* Channels-last convolution: float32, not transposed, two spatial dimensions,
 * and the channels of each input and output pixel are contiguous. Depthwise
 * convolutions loop over the channels of a pixel. Others run a GEMM with panels
 * of the weights, which are packed into ET_CONV_SCRATCH_BYTES of `scratch`. */
void et_conv_last(const et_conv *conv, et_mutable_span scratch);

/* Supports any floating-point dtype and dim order, and transposed convolutions.
 * Accumulates in double. */
void et_conv_any(const et_conv *conv);

/* ---- Arguments of the operators ---- */

/* `bias` is NULL for none. `output_padding` is NULL for zeros. The operator
 * checks the dtypes. */
typedef struct et_conv_arguments {
  const et_tensor *input;
  const et_tensor *weight;
  const et_tensor *bias;
  const et_value *stride;
  const et_value *padding;
  const et_value *dilation;
  const et_value *output_padding;
  int64_t groups;
  bool transposed;
} et_conv_arguments;

/* Checks the arguments and sets `conv`. Does not resize `out`. */
et_status et_conv_plan(et_kernel_context *context,
                       const et_conv_arguments *arguments, const et_tensor *out,
                       et_conv *conv);

/* Checks the arguments, resizes `out` and sets `conv`. */
et_status et_conv_start(et_kernel_context *context,
                        const et_conv_arguments *arguments, et_tensor *out,
                        et_conv *conv);

/* et_conv_plan and et_conv_start for the arguments of aten::convolution. Also
 * check the dtypes. */
et_status et_convolution_plan(et_kernel_context *context, et_value *const *args,
                              et_conv *conv);
et_status et_convolution_start(et_kernel_context *context,
                               et_value *const *args, et_conv *conv);

#endif /* ET_KERNELS_ENGINES_CONV_H_ */
