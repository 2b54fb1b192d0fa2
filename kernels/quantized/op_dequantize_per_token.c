#include "kernels/quantized/broadcast.h"
#include "kernels/quantized/quantize.h"

et_status et_op_dequantize_per_token_out(et_kernel_context *context,
                                         et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[7]->u.as_tensor;
  const et_broadcast_scales broadcast = {.what = "dequantize_per_token",
                                         .by = ET_SCALE_BY_TOKEN,
                                         .axis = -1,
                                         .scales = args[1]->u.as_tensor,
                                         .zero_points = args[2]->u.as_tensor};
  ET_RETURN_IF_ERROR(et_dequantize_check(context, broadcast.what, input,
                                         args[5], args[6], out));
  return et_broadcast_dequantize(context, &broadcast, input, out);
}
