/* The kernels of this library, which kernels.toml lists. */
#ifndef OPS_KERNELS_H_
#define OPS_KERNELS_H_

#include "executorch/kernel.h"

et_status demo_add_float32(et_kernel_context *context, et_value **args);
et_status demo_soft_step_out(et_kernel_context *context, et_value **args);

#endif /* OPS_KERNELS_H_ */
