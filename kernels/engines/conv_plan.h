/* A convolution from the arguments of an operator. */
#ifndef ET_KERNELS_ENGINES_CONV_PLAN_H_
#define ET_KERNELS_ENGINES_CONV_PLAN_H_

#include "kernels/engines/conv.h"

/* bias: NULL for none. output_padding: NULL for zeros. Dtypes are the operator's
 * to check. */
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

/* Checks the arguments and sets `conv`, with out as it is. */
et_status et_conv_plan(et_kernel_context *context,
                       const et_conv_arguments *arguments, const et_tensor *out,
                       et_conv *conv);

/* The same for a call: out is resized. */
et_status et_conv_start(et_kernel_context *context,
                        const et_conv_arguments *arguments, et_tensor *out,
                        et_conv *conv);

#endif /* ET_KERNELS_ENGINES_CONV_PLAN_H_ */
