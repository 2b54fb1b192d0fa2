#include "executorch/kernels/operator.h"

/* Returns 0 for NaN, as in PyTorch. */
#define SIGN(x) (((x) > 0) - ((x) < 0))

ET_OPERATOR_UNARY(sign, ET_MAP_PROMOTE, SIGN(x), SIGN(x), SIGN(x))
