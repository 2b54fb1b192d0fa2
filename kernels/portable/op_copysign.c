#include <math.h>

#include "executorch/kernels/operator.h"

ET_MAP_FLOATS(ET_MAP_BINARY, copysign, copysignf(x, y), copysign(x, y))
ET_OPERATOR_MAP(copysign, ET_MAP_FLOATING, ET_RUN_FLOATS(copysign), ET_MAP_JOIN)
ET_KERNEL_BINARY(copysign, out)
