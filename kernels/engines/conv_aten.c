#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/conv.h"

static et_status check_dtypes(et_kernel_context *context,
                              const et_conv_arguments *arguments,
                              const et_tensor *out) {
  const et_tensor *input = arguments->input;
  const et_tensor *bias = arguments->bias;
  ET_CHECK_DTYPE(context, et_scalar_type_is_floating(input->dtype),
                 "convolution", input->dtype);
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "convolution: weight",
                                         arguments->weight, input));
  if (bias != NULL) {
    ET_RETURN_IF_ERROR(
        et_shape_same_dtype(context, "convolution: bias", bias, input));
  }
  return et_shape_same_dtype(context, "convolution: out", out, input);
}

static et_conv_arguments arguments_of(et_value *const *args) {
  return (et_conv_arguments){args[0]->u.as_tensor,
                             args[1]->u.as_tensor,
                             et_arg_tensor(args[2]),
                             args[3],
                             args[4],
                             args[5],
                             args[7],
                             args[8]->u.as_int,
                             args[6]->u.as_bool};
}

et_status et_convolution_plan(et_kernel_context *context, et_value *const *args,
                              et_conv *conv) {
  const et_conv_arguments arguments = arguments_of(args);
  const et_tensor *out = args[9]->u.as_tensor;
  ET_RETURN_IF_ERROR(check_dtypes(context, &arguments, out));
  return et_conv_plan(context, &arguments, out, conv);
}

et_status et_convolution_start(et_kernel_context *context,
                               et_value *const *args, et_conv *conv) {
  const et_conv_arguments arguments = arguments_of(args);
  et_tensor *out = args[9]->u.as_tensor;
  ET_RETURN_IF_ERROR(check_dtypes(context, &arguments, out));
  return et_conv_start(context, &arguments, out, conv);
}
