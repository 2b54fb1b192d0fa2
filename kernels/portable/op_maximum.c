#include "executorch/kernels/operator.h"

/* NaN propagates. */
#define MAXIMUM(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))

ET_OPERATOR_BINARY(maximum, ET_MAP_PROMOTE, MAXIMUM(x, y), MAXIMUM(x, y),
                   MAXIMUM(x, y))
ET_KERNEL_BINARY(maximum, out)
