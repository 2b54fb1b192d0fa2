#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(ceil, ET_MAP_PROMOTE, x, ceilf(x), ceil(x))
