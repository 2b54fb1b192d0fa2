#include "executorch/kernels/operator.h"
#include "kernels/portable/divide.h"

ET_OPERATOR_BINARY(remainder, ET_MAP_PROMOTE, et_remainder_floor(x, y),
                   et_remainder_floor_real(x, y), et_remainder_floor_real(x, y))
ET_KERNEL_DIVIDE(remainder, scalar_out)
ET_KERNEL_DIVIDE(remainder, tensor_out)
