#include <math.h>

#include "kernels/util/operator.h"

ET_OPERATOR_LIBM(atanh)
