#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_airy_ai, et_airy_ai(x), et_airy_ai(x))
