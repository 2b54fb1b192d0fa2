#include "kernels/util/convert.h"
#include "kernels/util/operator.h"

ET_OPERATOR_BINARY(mul, ET_MAP_PROMOTE, et_wrap_mul(x, y), x *y, x *y)
ET_KERNEL_BINARY(mul, out)
ET_KERNEL_BINARY(mul, scalar_out)
