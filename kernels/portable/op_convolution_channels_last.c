#include "kernels/engines/conv.h"

et_status et_op_convolution_channels_last_out(et_kernel_context *context,
                                              et_value **args) {
  et_conv conv;
  ET_RETURN_IF_ERROR(et_convolution_start(context, args, &conv));
  if (args[9]->u.as_tensor->numel == 0) {
    return ET_STATUS_OK;
  }
  if (conv.transposed) {
    et_conv_any(&conv);
  } else {
    et_conv_last(&conv, context->scratch);
  }
  return ET_STATUS_OK;
}
