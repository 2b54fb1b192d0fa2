#include "kernels/portable/extremum.h"

et_status et_op_cummax_out(et_kernel_context *context, et_value **args) {
  return et_extremum_scan(context, "cummax", false, args);
}
