#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(isinf, ET_MAP_COMPARE, 0, isinf(x), isinf(x))
