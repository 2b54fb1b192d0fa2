#include "kernels/quantized/broadcast.h"
#include "kernels/quantized/quantize.h"

et_status et_op_quantize_per_token_out(et_kernel_context *context,
                                       et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[6]->u.as_tensor;
  const int64_t low = args[3]->u.as_int;
  const int64_t high = args[4]->u.as_int;
  const et_broadcast_scales broadcast = {.what = "quantize_per_token",
                                         .by = ET_SCALE_BY_TOKEN,
                                         .axis = -1,
                                         .scales = args[1]->u.as_tensor,
                                         .zero_points = args[2]->u.as_tensor};
  ET_RETURN_IF_ERROR(et_quantization_check_call(context, broadcast.what, input,
                                                args[5], low, high, out));
  return et_broadcast_quantize(context, &broadcast, input, low, high, out);
}
