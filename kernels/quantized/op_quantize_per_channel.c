#include "kernels/quantized/broadcast.h"
#include "kernels/quantized/quantize.h"

et_status et_op_quantize_per_channel_out(et_kernel_context *context,
                                         et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[7]->u.as_tensor;
  const int64_t low = args[4]->u.as_int;
  const int64_t high = args[5]->u.as_int;
  const et_broadcast_scales broadcast = {.what = "quantize_per_channel",
                                         .by = ET_SCALE_BY_CHANNEL,
                                         .axis = args[3]->u.as_int,
                                         .scales = args[1]->u.as_tensor,
                                         .zero_points = args[2]->u.as_tensor};
  ET_RETURN_IF_ERROR(et_quantization_check_call(context, broadcast.what, input,
                                                args[6], low, high, out));
  return et_broadcast_quantize(context, &broadcast, input, low, high, out);
}
