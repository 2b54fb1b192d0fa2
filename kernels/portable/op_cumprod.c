#include "executorch/kernels/fold.h"
#include "kernels/portable/lines.h"

static void multiply(et_compute compute, et_running *product, et_chunk *chunk,
                     size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (compute == ET_COMPUTE_INT64) {
      product->int64 = et_wrap_mul(product->int64, chunk->int64[i]);
      chunk->int64[i] = product->int64;
    } else {
      product->float64 *= chunk->float64[i];
      chunk->float64[i] = product->float64;
    }
  }
}

static const et_scan cumprod = {"cumprod", multiply, {1, 1.0}, false};

et_status et_op_cumprod_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[3]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_fold_check_dtype(context, "cumprod", args[2], out));
  return et_scan_apply(context, &cumprod, args[0]->u.as_tensor,
                       args[1]->u.as_int, out);
}
