#include "kernels/engines/conv.h"

/* Requests the scratch of the loop that the call will use. If planning fails,
 * requests none, because the call will report the error. */
et_status et_op_convolution_prepare(et_prepare_context *context,
                                    et_value *const *args, void **out_state) {
  et_kernel_context call = {.error = NULL};
  et_conv conv;
  (void)out_state;
  if (et_convolution_plan(&call, args, &conv) == ET_STATUS_OK) {
    context->scratch_bytes = et_conv_scratch(&conv);
  }
  return ET_STATUS_OK;
}

et_status et_op_convolution_out(et_kernel_context *context, et_value **args) {
  et_conv conv;
  ET_RETURN_IF_ERROR(et_convolution_start(context, args, &conv));
  if (args[9]->u.as_tensor->numel == 0) {
    return ET_STATUS_OK;
  }
  /* With dynamic shapes, the call may need more scratch than its `prepare`
   * requested. */
  if (et_conv_is_plain(&conv) &&
      context->scratch.size >= et_conv_scratch(&conv)) {
    et_conv_float32(&conv, context->scratch);
  } else {
    et_conv_any(&conv);
  }
  return ET_STATUS_OK;
}
