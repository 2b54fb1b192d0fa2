#include <math.h>

#include "kernels/util/operator.h"

ET_OPERATOR_UNARY(trunc, ET_MAP_PROMOTE, x, truncf(x), trunc(x))
