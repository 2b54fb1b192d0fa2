#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_FLOATING(rsqrt, 1.0f / sqrtf(x), 1.0 / sqrt(x))
