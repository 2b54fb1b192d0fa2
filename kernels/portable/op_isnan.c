#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(isnan, ET_MAP_COMPARE, 0, isnan(x), isnan(x))
