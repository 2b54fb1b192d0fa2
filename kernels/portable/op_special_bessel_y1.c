#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_bessel_y1, et_bessel_y(1, x), et_bessel_y(1, x))
