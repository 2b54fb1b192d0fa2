#include "executorch/kernels/operator.h"
#include "kernels/portable/normal.h"

ET_OPERATOR_FLOATING(special_ndtri, et_ndtri(x), et_ndtri(x))
