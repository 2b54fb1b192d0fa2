#include "kernels/portable/extremum.h"

et_status et_op_cummin_out(et_kernel_context *context, et_value **args) {
  return et_extremum_scan(context, "cummin", true, args);
}
