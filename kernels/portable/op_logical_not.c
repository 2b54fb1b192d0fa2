#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(logical_not, ET_MAP_COMPARE, x == 0, x == 0, x == 0)
