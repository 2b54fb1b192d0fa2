#include "executorch/kernels/convert.h"
#include "executorch/kernels/operator.h"

ET_OPERATOR_BINARY(mul, ET_MAP_PROMOTE, et_wrap_mul(x, y), x *y, x *y)
ET_KERNEL_BINARY(mul, out)
ET_KERNEL_BINARY(mul, scalar_out)
