#include <math.h>

#include "kernels/util/convert.h"
#include "kernels/util/operator.h"

ET_OPERATOR_UNARY(abs, ET_MAP_PROMOTE, x < 0 ? et_wrap_sub(0, x) : x, fabsf(x),
                  fabs(x))
