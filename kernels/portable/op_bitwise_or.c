#include "executorch/kernels/operator.h"

ET_OPERATOR_INTEGER(bitwise_or, x | y)
ET_KERNEL_BINARY(bitwise_or, scalar_out)
ET_KERNEL_BINARY(bitwise_or, tensor_out)
