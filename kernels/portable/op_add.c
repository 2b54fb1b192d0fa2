#include "executorch/kernels/convert.h"
#include "executorch/kernels/operator.h"

ET_MAP_EACH(ET_MAP_BINARY, add, et_wrap_add(x, et_wrap_mul(s[0], y)),
            x + s[0] * y, x + s[0] * y)
ET_OPERATOR_MAP(add, ET_MAP_PROMOTE, ET_RUN_ALL(add), ET_MAP_SCALE)
ET_KERNEL_BINARY_SCALED(add, out)
ET_KERNEL_BINARY_SCALED(add, scalar_out)
