#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_FLOATING(sigmoid, 1.0f / (1.0f + expf(-x)), 1.0 / (1.0 + exp(-x)))
