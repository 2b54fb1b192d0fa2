#include "kernels/util/args.h"
#include "kernels/util/convert.h"
#include "kernels/util/extremum.h"
#include "kernels/util/reduce.h"

/* One dimension is one run. */
static void largest_of(const et_reduction *r, et_loop *elements,
                       uint8_t *const *outs, const void *state) {
  (void)state;
  et_extremum found = et_extremum_none();
  et_extremum_take(&found, r->reduced.dtype, elements->at[0],
                   elements->strides[0], elements->count, 0, 1);
  *(int64_t *)(void *)outs[0] = found.index;
}

/* Over all elements, numbered in row-major order, whatever the dim order. */
static int64_t largest_of_all(const et_tensor *self) {
  const et_view view = et_view_of(self);
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)self->dtype);
  et_extremum found = et_extremum_none();
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

et_status et_op_argmax_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  et_reduction reduction;
  const bool all = et_arg_is_none(args[1]);
  ET_CHECK(context,
           et_dtype_is_computable(self->dtype) &&
               out->dtype == ET_SCALAR_TYPE_INT64,
           "argmax: from %s to %s is not supported",
           et_scalar_type_name((int32_t)self->dtype),
           et_scalar_type_name((int32_t)out->dtype));
  ET_RETURN_IF_ERROR(et_reduction_plan(context, "argmax", self, args[1],
                                       args[2]->u.as_bool, out, NULL,
                                       &reduction));
  ET_RETURN_IF_ERROR(et_reduction_has_elements(context, "argmax", &reduction));
  if (all) {
    *(int64_t *)out->data = largest_of_all(self);
  } else {
    et_reduction_run(&reduction, largest_of, NULL);
  }
  return ET_STATUS_OK;
}
