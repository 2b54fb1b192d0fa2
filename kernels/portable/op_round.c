#include <math.h>

#include "executorch/kernels/operator.h"

/* Rounds half to even, the default rounding mode. */
ET_OPERATOR_UNARY(round, ET_MAP_PROMOTE, x, rintf(x), rint(x))
