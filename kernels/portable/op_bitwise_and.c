#include "executorch/kernels/operator.h"

ET_OPERATOR_INTEGER(bitwise_and, x &y)
ET_KERNEL_BINARY(bitwise_and, scalar_out)
ET_KERNEL_BINARY(bitwise_and, tensor_out)
