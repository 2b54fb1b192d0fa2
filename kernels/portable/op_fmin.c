#include "executorch/kernels/operator.h"

/* Ignores NaN if the other operand is not NaN. */
#define FMIN(x, y) ((x) < (y) || (y) != (y) ? (x) : (y))

ET_OPERATOR_BINARY(fmin, ET_MAP_PROMOTE, FMIN(x, y), FMIN(x, y), FMIN(x, y))
ET_KERNEL_BINARY(fmin, out)
