#include <math.h>

#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_modified_bessel_k0,
                     et_bessel_k_scaled(0, x) * exp(-x),
                     et_bessel_k_scaled(0, x) * exp(-x))
