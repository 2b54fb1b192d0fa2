#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(signbit, ET_MAP_COMPARE, x < 0, signbit(x) != 0,
                  signbit(x) != 0)
