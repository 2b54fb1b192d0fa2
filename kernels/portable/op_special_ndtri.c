#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_ndtri, et_ndtri(x), et_ndtri(x))
