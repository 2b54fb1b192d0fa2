#include <math.h>

#include "executorch/kernels/operator.h"

ET_MAP_FLOATS(ET_MAP_BINARY, atan2, atan2f(x, y), atan2(x, y))
ET_OPERATOR_MAP(atan2, ET_MAP_FLOATING, ET_RUN_FLOATS(atan2), ET_MAP_JOIN)
ET_KERNEL_BINARY(atan2, out)
