#include <math.h>

#include "executorch/kernels/operator.h"

ET_MAP_FLOATS(ET_MAP_BINARY, hypot, hypotf(x, y), hypot(x, y))
ET_OPERATOR_MAP(hypot, ET_MAP_PROMOTE, ET_RUN_FLOATS(hypot), ET_MAP_JOIN)
ET_KERNEL_BINARY(hypot, out)
