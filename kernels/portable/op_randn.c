#include "kernels/portable/draw.h"

et_status et_op_randn_out(et_kernel_context *context, et_value **args) {
  return et_draw_all(context, "randn", et_draw_normal, args);
}
