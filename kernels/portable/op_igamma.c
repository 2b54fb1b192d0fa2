#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_MAP_FLOATS(ET_MAP_BINARY, igamma, et_igamma(x, y), et_igamma(x, y))
ET_OPERATOR_MAP(igamma, ET_MAP_FLOATING, ET_RUN_FLOATS(igamma), ET_MAP_JOIN)
ET_KERNEL_BINARY(igamma, out)
