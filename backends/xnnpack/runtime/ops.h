/* Ops that the CPU backend has none of. */
#ifndef BACKENDS_XNNPACK_RUNTIME_OPS_H_
#define BACKENDS_XNNPACK_RUNTIME_OPS_H_

#include "executorch/backend.h"

/* x; y of its sizes: each row, the last dims of as many as attribute 0 says, is
 * brought to the bytes that its own range gives and back. Attribute 1: numbers were
 * halves, and are scaled as such. */
extern const et_backend_part et_xnn_op_round_rows;

/* The transpose of conv_f32, with its attributes. The input is NHWC, there is no residual, and
 * the activation is a clamp or none. The output may have any size. */
extern const et_backend_part et_xnn_op_transposed_conv;

/* a and b of y's elements, all int8 or all uint8. Attributes: what a and b are
 * multiplied by, zero points of both, by how many bits sums are shifted, zero point,
 * lowest and highest byte of y. */
extern const et_backend_part et_xnn_op_add_qs8;

/* x [B, H, W, C] to the largest of each window and its place there, int32.
 * Attributes: height and width of windows, padding top and left. */
extern const et_backend_part et_xnn_op_argmax_pool;

#endif /* BACKENDS_XNNPACK_RUNTIME_OPS_H_ */
