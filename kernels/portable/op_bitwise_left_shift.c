#include "executorch/kernels/operator.h"

/* Shifts by a negative distance, or by at least the dtype's width, yield 0. The
 * low bits are then 0, so a limit of 64 works for every dtype. */
ET_OPERATOR_INTEGER(bitwise_left_shift, y < 0 || y > 63 ? 0 : (uint64_t)x << y)
ET_KERNEL_BINARY(bitwise_left_shift, tensor_scalar_out)
ET_KERNEL_BINARY(bitwise_left_shift, tensor_out)
