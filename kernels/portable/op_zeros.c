/* zeros, ones and empty. `empty` also writes zeros, so that a program never
 * returns uninitialized memory. */
#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"

static et_status resize(et_kernel_context *context, const char *what,
                        const et_value *list, et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  ET_RETURN_IF_ERROR(et_arg_sizes(context, what, list, sizes, &rank));
  return et_tensor_resize(out, sizes, rank, context->error);
}

static et_status fill(et_kernel_context *context, const char *what,
                      et_value **args, int64_t number) {
  et_tensor *out = args[1]->u.as_tensor;
  const et_value value = {ET_VALUE_INT, {.as_int = number}};
  ET_RETURN_IF_ERROR(resize(context, what, args[0], out));
  const et_view view = et_view_of(out);
  return et_fill_view(context, what, &value, &view);
}

et_status et_op_zeros_out(et_kernel_context *context, et_value **args) {
  return fill(context, "zeros: size", args, 0);
}

et_status et_op_ones_out(et_kernel_context *context, et_value **args) {
  return fill(context, "ones: size", args, 1);
}

static et_status zero(et_kernel_context *context, const char *what,
                      et_value **args) {
  et_tensor *out = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(resize(context, what, args[0], out));
  if (out->numel != 0) {
    memset(out->data, 0, et_tensor_nbytes(out));
  }
  return ET_STATUS_OK;
}

et_status et_op_empty_out(et_kernel_context *context, et_value **args) {
  return zero(context, "empty: size", args);
}

/* The memory plan has set the dim order of out. */
et_status et_op_empty_dim_order_out(et_kernel_context *context,
                                    et_value **args) {
  return zero(context, "_empty_dim_order: size", args);
}
