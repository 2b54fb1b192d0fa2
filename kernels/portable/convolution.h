/* The arguments of aten::convolution, for the kernels that it has. */
#ifndef ET_KERNELS_PORTABLE_CONVOLUTION_H_
#define ET_KERNELS_PORTABLE_CONVOLUTION_H_

#include "executorch/kernel.h"
#include "kernels/engines/conv.h"

/* Checks the arguments and sets `conv`, with out as it is. */
et_status et_convolution_plan(et_kernel_context *context, et_value *const *args,
                              et_conv *conv);

/* The same for a call: out is resized. */
et_status et_convolution_start(et_kernel_context *context,
                               et_value *const *args, et_conv *conv);

#endif /* ET_KERNELS_PORTABLE_CONVOLUTION_H_ */
