#include "executorch/kernels/operator.h"

/* NaN propagates. */
#define MINIMUM(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))

ET_OPERATOR_BINARY(minimum, ET_MAP_PROMOTE, MINIMUM(x, y), MINIMUM(x, y),
                   MINIMUM(x, y))
ET_KERNEL_BINARY(minimum, out)
