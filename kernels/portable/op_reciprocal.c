#include "executorch/kernels/operator.h"

ET_OPERATOR_FLOATING(reciprocal, 1.0f / x, 1.0 / x)
