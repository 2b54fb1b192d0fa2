#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(logical_or, x != 0 || y != 0)
ET_KERNEL_BINARY(logical_or, out)
