/* Conversion of an operator's arguments to an et_conv. */
#ifndef ET_KERNELS_ENGINES_CONV_PLAN_H_
#define ET_KERNELS_ENGINES_CONV_PLAN_H_

#include "kernels/engines/conv.h"

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

#endif /* ET_KERNELS_ENGINES_CONV_PLAN_H_ */
