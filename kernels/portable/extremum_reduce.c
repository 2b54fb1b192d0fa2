#include "kernels/portable/extremum.h"

#include "executorch/kernels/args.h"
#include "executorch/kernels/reduce.h"
#include "executorch/kernels/shape.h"

/* Stores the index in the last output, and the value in the first if there are
 * two. A single reduced dimension is one run. */
static void find(const et_reduction *r, et_loop *elements, uint8_t *const *outs,
                 const void *smallest) {
  et_extremum found = et_extremum_none(*(const bool *)smallest);
  et_extremum_take(&found, r->reduced.dtype, elements->at[0],
                   elements->strides[0], elements->count, 0, 1);
  *(int64_t *)(void *)outs[r->out_count - 1] = found.index;
  if (r->out_count == 2) {
    et_extremum_store(&found, r->outs[0].dtype, outs[0]);
  }
}

/* Returns the row-major index over all elements, for any dim order. */
static int64_t find_in_all(const et_tensor *self, bool smallest) {
  const et_view view = et_view_of(self);
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)self->dtype);
  et_extremum found = et_extremum_none(smallest);
  if (et_tensor_is_contiguous(self)) {
    et_extremum_take(&found, self->dtype, view.data, size, self->numel, 0, 1);
    return found.index;
  }
  for (size_t i = 0; i < self->numel; i++) {
    et_extremum_take(&found, self->dtype,
                     view.data + et_view_offset(&view, i) * size, 0, 1,
                     (int64_t)i, 1);
  }
  return found.index;
}

static et_status check_dtypes(et_kernel_context *context, const char *what,
                              const et_tensor *self, const et_tensor *indices) {
  ET_RETURN_IF_ERROR(
      et_shape_supports(context, what,
                        et_dtype_is_computable(self->dtype) &&
                            indices->dtype == ET_SCALAR_TYPE_INT64,
                        self, indices));
  return ET_STATUS_OK;
}

et_status et_extremum_indices(et_kernel_context *context, const char *what,
                              bool smallest, const et_tensor *self,
                              const et_value *dim, bool keepdim,
                              et_tensor *out) {
  et_reduction reduction;
  ET_RETURN_IF_ERROR(check_dtypes(context, what, self, out));
  ET_RETURN_IF_ERROR(et_reduction_plan(context, what, self, dim, keepdim, out,
                                       NULL, &reduction));
  ET_RETURN_IF_ERROR(et_reduction_has_elements(context, what, &reduction));
  if (et_arg_is_none(dim)) {
    *(int64_t *)out->data = find_in_all(self, smallest);
  } else {
    et_reduction_run(&reduction, find, &smallest);
  }
  return ET_STATUS_OK;
}

et_status et_extremum_along(et_kernel_context *context, const char *what,
                            bool smallest, const et_tensor *self,
                            const et_value *dim, bool keepdim,
                            et_tensor *values, et_tensor *indices) {
  et_reduction reduction;
  ET_RETURN_IF_ERROR(check_dtypes(context, what, self, indices));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, self, values));
  ET_RETURN_IF_ERROR(et_reduction_plan(context, what, self, dim, keepdim,
                                       values, indices, &reduction));
  ET_RETURN_IF_ERROR(et_reduction_has_elements(context, what, &reduction));
  et_reduction_run(&reduction, find, &smallest);
  return ET_STATUS_OK;
}
