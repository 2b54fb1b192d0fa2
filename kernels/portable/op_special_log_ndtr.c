#include "executorch/kernels/operator.h"
#include "kernels/portable/special_functions.h"

ET_OPERATOR_FLOATING(special_log_ndtr, et_log_ndtr(x), et_log_ndtr(x))
