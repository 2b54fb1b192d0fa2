#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(le, x <= y)
ET_KERNEL_BINARY(le, scalar_out)
ET_KERNEL_BINARY(le, tensor_out)
