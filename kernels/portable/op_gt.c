#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(gt, x > y)
ET_KERNEL_BINARY(gt, scalar_out)
ET_KERNEL_BINARY(gt, tensor_out)
