#include <math.h>

#include "executorch/kernels/operator.h"

/* Halves go to the even neighbour: the default rounding mode. */
ET_OPERATOR_UNARY(round, ET_MAP_PROMOTE, x, rintf(x), rint(x))
