#include "executorch/kernels/operator.h"

/* Ignores NaN if the other operand is not NaN. */
#define FMAX(x, y) ((x) > (y) || (y) != (y) ? (x) : (y))

ET_OPERATOR_BINARY(fmax, ET_MAP_PROMOTE, FMAX(x, y), FMAX(x, y), FMAX(x, y))
ET_KERNEL_BINARY(fmax, out)
