#include <math.h>

#include "executorch/kernels/convert.h"
#include "executorch/kernels/operator.h"

ET_OPERATOR_UNARY(abs, ET_MAP_PROMOTE, x < 0 ? et_wrap_sub(0, x) : x, fabsf(x),
                  fabs(x))
