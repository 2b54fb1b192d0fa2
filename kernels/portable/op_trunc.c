#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(trunc, ET_MAP_PROMOTE, x, truncf(x), trunc(x))
