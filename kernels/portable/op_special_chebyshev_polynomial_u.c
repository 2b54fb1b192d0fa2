#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_MAP_FLOATS(ET_MAP_BINARY, special_chebyshev_polynomial_u,
              et_chebyshev_u(x, y), et_chebyshev_u(x, y))
ET_OPERATOR_MAP(special_chebyshev_polynomial_u, ET_MAP_FLOATING,
                ET_RUN_FLOATS(special_chebyshev_polynomial_u), ET_MAP_JOIN)
ET_KERNEL_BINARY(special_chebyshev_polynomial_u, out)
