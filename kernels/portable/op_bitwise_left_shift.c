#include "executorch/kernels/operator.h"

/* 0 for a distance that is negative or the width of the dtype: the low bits are
 * 0, for which 64 serves every dtype. */
ET_OPERATOR_INTEGER(bitwise_left_shift, y < 0 || y > 63 ? 0 : (uint64_t)x << y)
ET_KERNEL_BINARY(bitwise_left_shift, tensor_scalar_out)
ET_KERNEL_BINARY(bitwise_left_shift, tensor_out)
