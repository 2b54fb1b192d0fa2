#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(ge, x >= y)
ET_KERNEL_BINARY(ge, scalar_out)
ET_KERNEL_BINARY(ge, tensor_out)
