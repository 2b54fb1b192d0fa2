#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_MAP_FLOATS(ET_MAP_BINARY, special_laguerre_polynomial_l, et_laguerre(x, y),
              et_laguerre(x, y))
ET_OPERATOR_MAP(special_laguerre_polynomial_l, ET_MAP_FLOATING,
                ET_RUN_FLOATS(special_laguerre_polynomial_l), ET_MAP_JOIN)
ET_KERNEL_BINARY(special_laguerre_polynomial_l, out)
