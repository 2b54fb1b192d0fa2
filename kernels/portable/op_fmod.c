#include <math.h>

#include "kernels/util/divide.h"
#include "kernels/util/operator.h"

ET_OPERATOR_BINARY(fmod, ET_MAP_PROMOTE, et_remainder_trunc(x, y), fmodf(x, y),
                   fmod(x, y))
ET_KERNEL_DIVIDE(fmod, scalar_out)
ET_KERNEL_DIVIDE(fmod, tensor_out)
