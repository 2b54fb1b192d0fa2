#include "kernels/portable/draw.h"

et_status et_op_rand_out(et_kernel_context *context, et_value **args) {
  return et_draw_all(context, "rand", et_draw_uniform, args);
}
