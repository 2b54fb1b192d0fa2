#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/reduce.h"
#include "executorch/kernels/shape.h"

static bool run_has_any(et_scalar_type dtype, const uint8_t *in,
                        ptrdiff_t stride, size_t count) {
  for (size_t i = 0; i < count; i++, in += stride) {
    double value = 0.0;
    et_load_run(ET_COMPUTE_FLOAT64, dtype, in, 0, 1, &value);
    if (value != 0.0) {
      return true;
    }
  }
  return false;
}

static void any_of(const et_reduction *r, et_loop *elements,
                   uint8_t *const *outs, const void *state) {
  bool any = false;
  (void)state;
  for (; elements->count > 0 && !any; et_loop_next(elements)) {
    any = run_has_any(r->reduced.dtype, elements->at[0], elements->strides[0],
                      elements->count);
  }
  *outs[0] = any;
}

/* For uint8, the result is uint8, as in PyTorch. */
static et_status check_any(et_kernel_context *context, const et_tensor *self,
                           const et_tensor *out) {
  return et_shape_supports(context, "any",
                           et_dtype_is_computable(self->dtype) &&
                               (out->dtype == ET_SCALAR_TYPE_BOOL ||
                                (out->dtype == ET_SCALAR_TYPE_UINT8 &&
                                 self->dtype == ET_SCALAR_TYPE_UINT8)),
                           self, out);
}

static et_status apply(et_kernel_context *context, const et_tensor *self,
                       const et_value *dims, bool keepdim, et_tensor *out) {
  et_reduction reduction;
  ET_RETURN_IF_ERROR(check_any(context, self, out));
  ET_RETURN_IF_ERROR(et_reduction_plan(context, "any", self, dims, keepdim, out,
                                       NULL, &reduction));
  et_reduction_run(&reduction, any_of, NULL);
  return ET_STATUS_OK;
}

et_status et_op_any_out(et_kernel_context *context, et_value **args) {
  return apply(context, args[0]->u.as_tensor, args[1], args[2]->u.as_bool,
               args[3]->u.as_tensor);
}

/* Converts each element to bool, even if `out` is uint8. */
static et_status bools(et_kernel_context *context, const et_tensor *self,
                       et_tensor *out) {
  ET_RETURN_IF_ERROR(check_any(context, self, out));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const et_view from = et_view_of(self);
  et_view to = et_view_of(out);
  to.dtype = ET_SCALAR_TYPE_BOOL;
  return et_copy_view(context, "any", &from, &to);
}

/* None reduces all dimensions; an empty list reduces none. */
et_status et_op_any_dims_out(et_kernel_context *context, et_value **args) {
  if (!et_arg_is_none(args[1]) && args[1]->u.as_list.size == 0) {
    return bools(context, args[0]->u.as_tensor, args[3]->u.as_tensor);
  }
  return et_op_any_out(context, args);
}

et_status et_op_any_all_out(et_kernel_context *context, et_value **args) {
  return apply(context, args[0]->u.as_tensor, NULL, false,
               args[1]->u.as_tensor);
}
