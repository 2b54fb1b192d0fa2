#include "executorch/kernels/operator.h"

/* The sign, 0 or -1, for a distance that is negative or the width of the dtype.
 */
ET_OPERATOR_INTEGER(bitwise_right_shift, x >> (y < 0 || y > 63 ? 63 : y))
ET_KERNEL_BINARY(bitwise_right_shift, tensor_scalar_out)
ET_KERNEL_BINARY(bitwise_right_shift, tensor_out)
