#include <math.h>

#include "kernels/util/operator.h"

ET_OPERATOR_UNARY(floor, ET_MAP_PROMOTE, x, floorf(x), floor(x))
