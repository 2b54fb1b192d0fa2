#include "executorch/kernels/shape.h"
#include "kernels/quantized/quantize.h"

/* `read` reads the scale and the zero point, which are scalars or tensors. */
static et_status dequantize(et_kernel_context *context, et_value **args,
                            et_quantization_read_fn read) {
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[7]->u.as_tensor;
  et_quantization q;
  ET_RETURN_IF_ERROR(et_dequantize_check(context, "dequantize_per_tensor",
                                         input, args[5], args[6], out));
  ET_RETURN_IF_ERROR(
      read(context, "dequantize_per_tensor", &args[1], input->dtype, &q));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, input));
  const et_view in_view = et_view_of(input);
  const et_view out_view = et_view_of(out);
  et_dequantize_view(&q, &in_view, &out_view);
  return ET_STATUS_OK;
}

et_status et_op_dequantize_per_tensor_out(et_kernel_context *context,
                                          et_value **args) {
  return dequantize(context, args, et_quantization_read);
}

et_status et_op_dequantize_per_tensor_tensor_out(et_kernel_context *context,
                                                 et_value **args) {
  return dequantize(context, args, et_quantization_read_tensors);
}
