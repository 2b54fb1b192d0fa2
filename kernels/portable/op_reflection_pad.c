#include "kernels/util/pad.h"

static et_status pad(et_kernel_context *context, const char *what, size_t dims,
                     et_value **args) {
  return et_pad_edges(context, what, ET_PAD_REFLECT, dims, args[0]->u.as_tensor,
                      args[1], args[2]->u.as_tensor);
}

et_status et_op_reflection_pad1d_out(et_kernel_context *context,
                                     et_value **args) {
  return pad(context, "reflection_pad1d", 1, args);
}

et_status et_op_reflection_pad2d_out(et_kernel_context *context,
                                     et_value **args) {
  return pad(context, "reflection_pad2d", 2, args);
}

et_status et_op_reflection_pad3d_out(et_kernel_context *context,
                                     et_value **args) {
  return pad(context, "reflection_pad3d", 3, args);
}
