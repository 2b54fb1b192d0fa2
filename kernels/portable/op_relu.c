#include "executorch/kernels/operator.h"

#define RELU(x) ((x) < 0 ? 0 : (x))

ET_OPERATOR_UNARY(relu, ET_MAP_PROMOTE, RELU(x), RELU(x), RELU(x))
