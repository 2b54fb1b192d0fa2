#include "kernels/portable/pad.h"

et_status et_op_reflection_pad1d_out(et_kernel_context *context,
                                     et_value **args) {
  return et_pad_edges(context, "reflection_pad1d", ET_PAD_REFLECT, 1, args);
}

et_status et_op_reflection_pad2d_out(et_kernel_context *context,
                                     et_value **args) {
  return et_pad_edges(context, "reflection_pad2d", ET_PAD_REFLECT, 2, args);
}

et_status et_op_reflection_pad3d_out(et_kernel_context *context,
                                     et_value **args) {
  return et_pad_edges(context, "reflection_pad3d", ET_PAD_REFLECT, 3, args);
}
