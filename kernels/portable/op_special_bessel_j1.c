#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_bessel_j1, et_bessel_j(1, x), et_bessel_j(1, x))
