#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(erfinv, et_erfinv(x), et_erfinv(x))
