#include <math.h>

#include "kernels/util/operator.h"

ET_OPERATOR_UNARY(isnan, ET_MAP_COMPARE, 0, isnan(x), isnan(x))
