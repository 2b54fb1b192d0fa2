#include "executorch/kernels/operator.h"

ET_OPERATOR_INTEGER(bitwise_xor, x ^ y)
ET_KERNEL_BINARY(bitwise_xor, scalar_out)
ET_KERNEL_BINARY(bitwise_xor, tensor_out)
