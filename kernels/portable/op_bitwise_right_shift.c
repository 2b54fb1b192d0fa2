#include "executorch/kernels/operator.h"

/* Shifts by a negative distance, or by at least the dtype's width, yield the
 * sign: 0 or -1. */
ET_OPERATOR_INTEGER(bitwise_right_shift, x >> (y < 0 || y > 63 ? 63 : y))
ET_KERNEL_BINARY(bitwise_right_shift, tensor_scalar_out)
ET_KERNEL_BINARY(bitwise_right_shift, tensor_out)
