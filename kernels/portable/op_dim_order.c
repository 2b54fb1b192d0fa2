/* Copies to another dtype or dim order. The memory plan has set those of
 * out. */
#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

static et_status check_dim_order(et_kernel_context *context,
                                 const et_value *list, const et_tensor *out) {
  if (et_arg_is_none(list)) {
    return ET_STATUS_OK;
  }
  ET_CHECK(context, list->u.as_list.size == out->rank,
           "dim_order has %zu dimensions, out has %d", list->u.as_list.size,
           (int)out->rank);
  for (size_t d = 0; d < out->rank; d++) {
    ET_CHECK(context, et_int_list_at(list, d) == out->dim_order[d],
             "dim_order[%zu] = %lld does not match out, expected %d", d,
             (long long)et_int_list_at(list, d), (int)out->dim_order[d]);
  }
  return ET_STATUS_OK;
}

static et_status copy(et_kernel_context *context, const char *what,
                      et_value **args) {
  et_tensor *out = args[3]->u.as_tensor;
  const et_view view = et_view_of(args[0]->u.as_tensor);
  ET_RETURN_IF_ERROR(check_dim_order(context, args[2], out));
  return et_copy_view_to(context, what, &view, out);
}

et_status et_op_to_dim_order_copy_out(et_kernel_context *context,
                                      et_value **args) {
  return copy(context, "_to_dim_order_copy", args);
}

et_status et_op_clone_dim_order_out(et_kernel_context *context,
                                    et_value **args) {
  ET_RETURN_IF_ERROR(et_shape_same_dtype(
      context, "_clone_dim_order", args[0]->u.as_tensor, args[3]->u.as_tensor));
  return copy(context, "_clone_dim_order", args);
}

et_status et_op_to_copy_out(et_kernel_context *context, et_value **args) {
  const et_view view = et_view_of(args[0]->u.as_tensor);
  return et_copy_view_to(context, "_to_copy", &view, args[3]->u.as_tensor);
}
