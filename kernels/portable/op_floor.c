#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(floor, ET_MAP_PROMOTE, x, floorf(x), floor(x))
