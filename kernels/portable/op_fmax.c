#include "executorch/kernels/operator.h"

/* A NaN gives way to a number. */
#define FMAX(x, y) ((x) > (y) || (y) != (y) ? (x) : (y))

ET_OPERATOR_BINARY(fmax, ET_MAP_PROMOTE, FMAX(x, y), FMAX(x, y), FMAX(x, y))
ET_KERNEL_BINARY(fmax, out)
