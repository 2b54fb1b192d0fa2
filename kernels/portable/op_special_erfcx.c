#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_erfcx, et_erfcx(x), et_erfcx(x))
