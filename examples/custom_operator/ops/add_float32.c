#include "executorch/kernels/args.h"
#include "ops/kernels.h"

/* The built-in kernel, which this kernel calls for operands of different shapes. */
et_status et_op_add_out(et_kernel_context *context, et_value **args);

static float number(const et_value *value) {
  return value->tag == ET_VALUE_DOUBLE ? (float)value->u.as_double
                                       : (float)value->u.as_int;
}

et_status demo_add_float32(et_kernel_context *context, et_value **args) {
  const et_tensor *a = args[0]->u.as_tensor;
  const et_tensor *b = args[1]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  if (args[2]->tag == ET_VALUE_BOOL || !et_tensor_same_shape(a, b) ||
      !et_tensor_same_dim_order(a, b) || !et_tensor_same_dim_order(a, out)) {
    return et_op_add_out(context, args);
  }
  ET_RETURN_IF_ERROR(et_tensor_resize(out, a->sizes, a->rank, context->error));
  const float alpha = number(args[2]);
  const float *x = (const float *)a->data;
  const float *y = (const float *)b->data;
  float *z = (float *)out->data;
  for (size_t i = 0; i < out->numel; ++i) {
    z[i] = x[i] + alpha * y[i];
  }
  return ET_STATUS_OK;
}
