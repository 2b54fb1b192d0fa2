#include <math.h>

#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(i0, et_bessel_i_scaled(0, x) * exp(fabs(x)),
                     et_bessel_i_scaled(0, x) * exp(fabs(x)))
