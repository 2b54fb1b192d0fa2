#include <math.h>

#include "executorch/kernels/operator.h"

ET_OPERATOR_LIBM(lgamma)
