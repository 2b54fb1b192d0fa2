#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_MAP_FLOATS(ET_MAP_BINARY, special_legendre_polynomial_p, et_legendre(x, y),
              et_legendre(x, y))
ET_OPERATOR_MAP(special_legendre_polynomial_p, ET_MAP_FLOATING,
                ET_RUN_FLOATS(special_legendre_polynomial_p), ET_MAP_JOIN)
ET_KERNEL_BINARY(special_legendre_polynomial_p, out)
