#include "executorch/kernels/fold.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

/* For a bool result, elements are reduced as 0 and 1. */
typedef struct bools {
  et_take_fn take;
  int64_t result;
} bools;

static void take_bools(void *state, const et_chunk *chunk, size_t count) {
  bools *t = state;
  et_chunk converted;
  for (size_t i = 0; i < count; i++) {
    converted.int64[i] = chunk->float64[i] != 0.0;
  }
  t->take(&t->result, &converted, count);
}

static void fold_bools(const et_fold *fold, et_loop *elements,
                       et_scalar_type dtype, uint8_t *out) {
  bools t = {fold->take_int64, fold->start_int64};
  et_take_elements(elements, dtype, ET_COMPUTE_FLOAT64, take_bools, &t);
  *out = t.result != 0;
}

static void fold_one(const et_reduction *r, et_loop *elements,
                     uint8_t *const *outs, const void *state) {
  const et_fold *fold = state;
  const et_scalar_type dtype = r->reduced.dtype;
  const et_scalar_type out_dtype = r->outs[0].dtype;
  if (out_dtype == ET_SCALAR_TYPE_BOOL) {
    fold_bools(fold, elements, dtype, outs[0]);
  } else if (et_scalar_type_is_floating(out_dtype)) {
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

et_status et_fold_apply(et_kernel_context *context, const et_fold *fold,
                        const et_tensor *self, const et_value *dims,
                        bool keepdim, et_tensor *out) {
  et_reduction reduction;
  ET_RETURN_IF_ERROR(et_shape_supports(
      context, fold->name,
      et_dtype_is_computable(self->dtype) && et_dtype_is_computable(out->dtype),
      self, out));
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
           "%s: dtype %lld is not the dtype of out", what, (long long)wanted);
  return ET_STATUS_OK;
}
