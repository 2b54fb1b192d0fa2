#include <math.h>

#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_i1, et_bessel_i_scaled(1, x) * exp(fabs(x)),
                     et_bessel_i_scaled(1, x) * exp(fabs(x)))
