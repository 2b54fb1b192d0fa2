#include "executorch/kernels/fold.h"
#include "kernels/portable/lines.h"

static void add_up(et_compute compute, et_running *sum, et_chunk *chunk,
                   size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (compute == ET_COMPUTE_INT64) {
      sum->int64 = et_wrap_add(sum->int64, chunk->int64[i]);
      chunk->int64[i] = sum->int64;
    } else {
      sum->float64 += chunk->float64[i];
      chunk->float64[i] = sum->float64;
    }
  }
}

static const et_scan cumsum = {"cumsum", add_up, {0, 0.0}, false};

et_status et_op_cumsum_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[3]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_fold_check_dtype(context, "cumsum", args[2], out));
  return et_scan_apply(context, &cumsum, args[0]->u.as_tensor,
                       args[1]->u.as_int, out);
}
