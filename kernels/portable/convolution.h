/* Arguments of aten::convolution, for its kernels. */
#ifndef ET_KERNELS_PORTABLE_CONVOLUTION_H_
#define ET_KERNELS_PORTABLE_CONVOLUTION_H_

#include "executorch/kernel.h"
#include "kernels/engines/conv.h"

/* Checks the arguments and sets `conv`. Does not resize out. */
et_status et_convolution_plan(et_kernel_context *context, et_value *const *args,
                              et_conv *conv);

/* Checks the arguments, resizes out and sets `conv`. */
et_status et_convolution_start(et_kernel_context *context,
                               et_value *const *args, et_conv *conv);

#endif /* ET_KERNELS_PORTABLE_CONVOLUTION_H_ */
