#include <math.h>

#include "executorch/kernels/operator.h"

ET_MAP_FLOATS(ET_MAP_BINARY, nextafter, nextafterf(x, y), nextafter(x, y))
ET_OPERATOR_MAP(nextafter, ET_MAP_PROMOTE, ET_RUN_FLOATS(nextafter),
                ET_MAP_JOIN)
ET_KERNEL_BINARY(nextafter, out)
