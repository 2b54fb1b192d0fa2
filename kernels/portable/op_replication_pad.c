#include "kernels/portable/pad.h"

et_status et_op_replication_pad1d_out(et_kernel_context *context,
                                      et_value **args) {
  return et_pad_edges(context, "replication_pad1d", ET_PAD_REPLICATE, 1, args);
}

et_status et_op_replication_pad2d_out(et_kernel_context *context,
                                      et_value **args) {
  return et_pad_edges(context, "replication_pad2d", ET_PAD_REPLICATE, 2, args);
}

et_status et_op_replication_pad3d_out(et_kernel_context *context,
                                      et_value **args) {
  return et_pad_edges(context, "replication_pad3d", ET_PAD_REPLICATE, 3, args);
}
