#include "executorch/kernels/args.h"
#include "kernels/quantized/broadcast.h"
#include "kernels/quantized/quantize.h"

et_status et_op_dequantize_per_channel_out(et_kernel_context *context,
                                           et_value **args) {
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[8]->u.as_tensor;
  const et_broadcast_scales broadcast = {.what = "dequantize_per_channel",
                                         .by = ET_SCALE_BY_CHANNEL,
                                         .axis = args[3]->u.as_int,
                                         .scales = args[1]->u.as_tensor,
                                         .zero_points = et_arg_tensor(args[2])};
  ET_RETURN_IF_ERROR(et_dequantize_check(context, broadcast.what, input,
                                         args[6], args[7], out));
  return et_broadcast_dequantize(context, &broadcast, input, out);
}
