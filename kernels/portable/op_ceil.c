#include <math.h>

#include "kernels/util/operator.h"

ET_OPERATOR_UNARY(ceil, ET_MAP_PROMOTE, x, ceilf(x), ceil(x))
