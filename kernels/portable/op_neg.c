#include "executorch/kernels/convert.h"
#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(neg, ET_MAP_PROMOTE, et_wrap_sub(0, x), -x, -x)
