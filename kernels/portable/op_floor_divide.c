#include "kernels/util/divide.h"
#include "kernels/util/operator.h"

ET_OPERATOR_BINARY(floor_divide, ET_MAP_PROMOTE, et_divide_floor(x, y),
                   et_divide_floor_real(x, y), et_divide_floor_real(x, y))
ET_KERNEL_DIVIDE(floor_divide, out)
