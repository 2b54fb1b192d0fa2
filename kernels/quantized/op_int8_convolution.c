#include "executorch/kernels/args.h"
#include "executorch/kernels/scratch.h"
#include "kernels/engines/conv.h"
#include "kernels/engines/int8.h"
#include "kernels/quantized/int8_arguments.h"

#define WHAT "int8 convolution"

enum {
  STRIDE = ET_INT8_NEXT,
  PADDING,
  DILATION,
  GROUPS,
  RANGE, /* zero point, low and high */
  OUT = RANGE + 3
};

et_status et_op_quantized_bytes_convolution_prepare(et_prepare_context *context,
                                                    et_value *const *args,
                                                    void **out_state) {
  const et_tensor *weight = args[ET_INT8_WEIGHT]->u.as_tensor;
  size_t depth = 1;
  (void)out_state;
  for (size_t d = 1; d < weight->rank; d++) {
    depth *= (size_t)weight->sizes[d];
  }
  context->scratch_bytes = ET_INT8_GEMM_SCRATCH(depth);
  return ET_STATUS_OK;
}

static et_status start(et_kernel_context *context, et_value **args,
                       et_int8_conv *conv) {
  et_tensor *out = args[OUT]->u.as_tensor;
  const et_conv_arguments arguments = {args[ET_INT8_INPUT]->u.as_tensor,
                                       args[ET_INT8_WEIGHT]->u.as_tensor,
                                       et_arg_tensor(args[ET_INT8_BIAS]),
                                       args[STRIDE],
                                       args[PADDING],
                                       args[DILATION],
                                       NULL,
                                       args[GROUPS]->u.as_int,
                                       false};
  conv->factors = et_int8_floats(args[ET_INT8_FACTORS]->u.as_tensor);
  conv->bias = et_int8_floats(arguments.bias);
  ET_RETURN_IF_ERROR(et_int8_read_params(context, WHAT, arguments.input,
                                         args[ET_INT8_INPUT_ZERO_POINT],
                                         &conv->params));
  ET_RETURN_IF_ERROR(
      et_int8_read_range(context, WHAT, out, &args[RANGE], &conv->range));
  ET_RETURN_IF_ERROR(et_conv_plan(context, &arguments, out, &conv->conv));
  ET_RETURN_IF_ERROR(et_int8_check_gemm(
      context, WHAT, arguments.weight, et_int8_conv_depth(&conv->conv),
      args[ET_INT8_FACTORS]->u.as_tensor, arguments.bias));
  return et_conv_start(context, &arguments, out, &conv->conv);
}

et_status et_op_quantized_bytes_convolution_out(et_kernel_context *context,
                                                et_value **args) {
  et_int8_conv conv;
  ET_RETURN_IF_ERROR(start(context, args, &conv));
  if (args[OUT]->u.as_tensor->numel > 0) {
    et_int8_conv_run(&conv, context->scratch);
  }
  return ET_STATUS_OK;
}
