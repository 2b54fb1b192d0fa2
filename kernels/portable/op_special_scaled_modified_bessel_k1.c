#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_scaled_modified_bessel_k1,
                     et_bessel_k_scaled(1, x), et_bessel_k_scaled(1, x))
