#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_bessel_j0, et_bessel_j(0, x), et_bessel_j(0, x))
