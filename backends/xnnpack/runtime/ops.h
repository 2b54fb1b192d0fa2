/* Ops that only this backend builds. They are declared in backends/cpu/schema/xnnpack.py. */
#ifndef BACKENDS_XNNPACK_RUNTIME_OPS_H_
#define BACKENDS_XNNPACK_RUNTIME_OPS_H_

#include "executorch/backend.h"

extern const et_backend_part et_xnn_op_round_rows;
extern const et_backend_part et_xnn_op_add_qs8;
extern const et_backend_part et_xnn_op_argmax_pool;

/* Transposed convolution with the attributes of conv_f32. The input is NHWC. The activation is
 * absent or a clamp. Residuals are not supported. The output may have any size. */
extern const et_backend_part et_xnn_op_transposed_conv;

#endif /* BACKENDS_XNNPACK_RUNTIME_OPS_H_ */
