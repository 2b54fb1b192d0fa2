#include "executorch/kernels/operator.h"
#include "kernels/portable/normal.h"

ET_OPERATOR_FLOATING(erfinv, et_erfinv(x), et_erfinv(x))
