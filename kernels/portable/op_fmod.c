#include <math.h>

#include "executorch/kernels/operator.h"
#include "kernels/portable/divide.h"

ET_OPERATOR_BINARY(fmod, ET_MAP_PROMOTE, et_remainder_trunc(x, y), fmodf(x, y),
                   fmod(x, y))
ET_KERNEL_DIVIDE(fmod, scalar_out)
ET_KERNEL_DIVIDE(fmod, tensor_out)
