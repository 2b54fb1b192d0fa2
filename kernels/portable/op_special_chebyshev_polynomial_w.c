#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_MAP_FLOATS(ET_MAP_BINARY, special_chebyshev_polynomial_w,
              et_chebyshev_w(x, y), et_chebyshev_w(x, y))
ET_OPERATOR_MAP(special_chebyshev_polynomial_w, ET_MAP_FLOATING,
                ET_RUN_FLOATS(special_chebyshev_polynomial_w), ET_MAP_JOIN)
ET_KERNEL_BINARY(special_chebyshev_polynomial_w, out)
