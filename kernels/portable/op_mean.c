#include "executorch/kernels/args.h"
#include "executorch/kernels/fold.h"
#include "executorch/kernels/shape.h"

/* The mean of zero elements is 0 / 0, which is NaN. */
static void mean_of(const et_reduction *r, et_loop *elements,
                    uint8_t *const *outs, const void *state) {
  (void)state;
  const double mean = et_sum_elements(*elements, r->reduced.dtype, 0.0, false) /
                      (double)r->count;
  et_store_run(ET_COMPUTE_FLOAT64, &mean, r->outs[0].dtype, outs[0], 0, 1);
}

/* `dims` is NULL for all dimensions. */
static et_status mean(et_kernel_context *context, const et_tensor *self,
                      const et_value *dims, bool keepdim, const et_value *dtype,
                      et_tensor *out) {
  et_reduction reduction;
  ET_RETURN_IF_ERROR(
      et_shape_supports(context, "mean",
                        et_dtype_is_computable(self->dtype) &&
                            et_scalar_type_is_floating(out->dtype),
                        self, out));
  ET_RETURN_IF_ERROR(et_fold_check_dtype(context, "mean", dtype, out));
  ET_RETURN_IF_ERROR(et_reduction_plan(context, "mean", self, dims, keepdim,
                                       out, NULL, &reduction));
  et_reduction_run(&reduction, mean_of, NULL);
  return ET_STATUS_OK;
}

et_status et_op_mean_out(et_kernel_context *context, et_value **args) {
  return mean(context, args[0]->u.as_tensor, args[1], args[2]->u.as_bool,
              args[3], args[4]->u.as_tensor);
}

et_status et_op_mean_dtype_out(et_kernel_context *context, et_value **args) {
  return mean(context, args[0]->u.as_tensor, NULL, false, args[1],
              args[2]->u.as_tensor);
}
