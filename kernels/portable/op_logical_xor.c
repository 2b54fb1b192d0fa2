#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(logical_xor, (x != 0) != (y != 0))
ET_KERNEL_BINARY(logical_xor, out)
