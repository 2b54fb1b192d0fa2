#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(logical_and, x != 0 && y != 0)
ET_KERNEL_BINARY(logical_and, out)
