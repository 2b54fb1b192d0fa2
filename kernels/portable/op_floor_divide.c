#include "executorch/kernels/operator.h"
#include "kernels/portable/divide.h"

ET_OPERATOR_BINARY(floor_divide, ET_MAP_PROMOTE, et_divide_floor(x, y),
                   et_divide_floor_real(x, y), et_divide_floor_real(x, y))
ET_KERNEL_DIVIDE(floor_divide, out)
