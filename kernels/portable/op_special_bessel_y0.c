#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_bessel_y0, et_bessel_y(0, x), et_bessel_y(0, x))
