#include "executorch/kernels/operator.h"

/* A NaN gives way to a number. */
#define FMIN(x, y) ((x) < (y) || (y) != (y) ? (x) : (y))

ET_OPERATOR_BINARY(fmin, ET_MAP_PROMOTE, FMIN(x, y), FMIN(x, y), FMIN(x, y))
ET_KERNEL_BINARY(fmin, out)
