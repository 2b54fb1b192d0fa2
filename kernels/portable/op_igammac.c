#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_MAP_FLOATS(ET_MAP_BINARY, igammac, et_igammac(x, y), et_igammac(x, y))
ET_OPERATOR_MAP(igammac, ET_MAP_FLOATING, ET_RUN_FLOATS(igammac), ET_MAP_JOIN)
ET_KERNEL_BINARY(igammac, out)
