#include "executorch/kernels/convert.h"
#include "executorch/kernels/operator.h"

ET_MAP_EACH(ET_MAP_BINARY, mul, et_wrap_mul(x, y), x *y, x *y)
ET_OPERATOR_MAP(mul, ET_MAP_PROMOTE, ET_RUN_ALL(mul), ET_MAP_FACTOR)
ET_KERNEL_BINARY(mul, out)
ET_KERNEL_BINARY(mul, scalar_out)
