#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(ne, x != y)
ET_KERNEL_BINARY(ne, scalar_out)
ET_KERNEL_BINARY(ne, tensor_out)
