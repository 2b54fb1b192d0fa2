#include "executorch/kernels/operator.h"
#include "kernels/portable/divide.h"

ET_MAP_EACH(ET_MAP_BINARY, floor_divide, et_divide_floor(x, y),
            et_divide_floor_real(x, y), et_divide_floor_real(x, y))
ET_OPERATOR_MAP(floor_divide, ET_MAP_PROMOTE, ET_RUN_ALL(floor_divide),
                ET_MAP_FACTOR)
ET_KERNEL_DIVIDE(floor_divide, out)
