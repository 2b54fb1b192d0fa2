#include "executorch/kernels/fold.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

static void fold_one(const et_reduction *r, et_loop *elements,
                     uint8_t *const *outs, const void *state) {
  const et_fold *fold = state;
  const et_scalar_type dtype = r->reduced.dtype;
  const et_scalar_type out_dtype = r->outs[0].dtype;
  if (et_scalar_type_is_floating(out_dtype)) {
    double result = fold->start_float64;
    et_take_elements(elements, dtype, ET_COMPUTE_FLOAT64, fold->take_float64,
                     &result);
    et_store_run(ET_COMPUTE_FLOAT64, &result, out_dtype, outs[0], 0, 1);
  } else {
    int64_t result = fold->start_int64;
    et_take_elements(elements, dtype, ET_COMPUTE_INT64, fold->take_int64,
                     &result);
    et_store_run(ET_COMPUTE_INT64, &result, out_dtype, outs[0], 0, 1);
  }
}

/* Floating to bool is != 0, which is lost where elements become integers. */
static bool converts(et_scalar_type from, et_scalar_type to) {
  return et_dtype_is_computable(from) && et_dtype_is_computable(to) &&
         !(et_scalar_type_is_floating(from) && to == ET_SCALAR_TYPE_BOOL);
}

et_status et_fold_apply(et_kernel_context *context, const et_fold *fold,
                        const et_tensor *self, const et_value *dims,
                        bool keepdim, et_tensor *out) {
  et_reduction reduction;
  ET_RETURN_IF_ERROR(et_shape_supports(
      context, fold->name, converts(self->dtype, out->dtype), self, out));
  ET_RETURN_IF_ERROR(et_reduction_plan(context, fold->name, self, dims, keepdim,
                                       out, NULL, &reduction));
  if (fold->needs_elements) {
    ET_RETURN_IF_ERROR(
        et_reduction_has_elements(context, fold->name, &reduction));
  }
  et_reduction_run(&reduction, fold_one, fold);
  return ET_STATUS_OK;
}

et_status et_fold_same(et_kernel_context *context, const et_fold *fold,
                       const et_tensor *self, const et_value *dims,
                       bool keepdim, et_tensor *out) {
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, fold->name, self, out));
  return et_fold_apply(context, fold, self, dims, keepdim, out);
}

et_status et_fold_check_dtype(et_kernel_context *context, const char *what,
                              const et_value *dtype, const et_tensor *out) {
  const int64_t wanted = et_arg_int_or(dtype, (int64_t)out->dtype);
  ET_CHECK(context, wanted == (int64_t)out->dtype,
           "%s: dtype %lld is not that of out", what, (long long)wanted);
  return ET_STATUS_OK;
}
