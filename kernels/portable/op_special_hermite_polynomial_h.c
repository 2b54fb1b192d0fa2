#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_MAP_FLOATS(ET_MAP_BINARY, special_hermite_polynomial_h, et_hermite_h(x, y),
              et_hermite_h(x, y))
ET_OPERATOR_MAP(special_hermite_polynomial_h, ET_MAP_FLOATING,
                ET_RUN_FLOATS(special_hermite_polynomial_h), ET_MAP_JOIN)
ET_KERNEL_BINARY(special_hermite_polynomial_h, out)
