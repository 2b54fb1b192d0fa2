#include "executorch/kernels/operator.h"

ET_OPERATOR_COMPARE(lt, x < y)
ET_KERNEL_BINARY(lt, scalar_out)
ET_KERNEL_BINARY(lt, tensor_out)
