#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(eq, x == y)
ET_KERNEL_BINARY(eq, scalar_out)
ET_KERNEL_BINARY(eq, tensor_out)
