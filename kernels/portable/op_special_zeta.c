#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_MAP_FLOATS(ET_MAP_BINARY, special_zeta, et_zeta(x, y), et_zeta(x, y))
ET_OPERATOR_MAP(special_zeta, ET_MAP_FLOATING, ET_RUN_FLOATS(special_zeta),
                ET_MAP_JOIN)
ET_KERNEL_BINARY(special_zeta, out)
