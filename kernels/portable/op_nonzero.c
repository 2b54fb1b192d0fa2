#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "executorch/kernels/view.h"

static bool is_nonzero(const et_view *view, size_t i) {
  double value = 0.0;
  et_load_run(
      ET_COMPUTE_FLOAT64, view->dtype,
      view->data + et_view_offset(view, i) *
                       (int64_t)et_scalar_type_size((int32_t)view->dtype),
      0, 1, &value);
  return value != 0.0;
}

/* Writes the coordinates of element `i` of self to row `row` of out, which may
 * have any strides. */
static void write_coordinates(const et_view *self, size_t i, const et_view *out,
                              int64_t row) {
  int64_t *rows = (int64_t *)(void *)out->data;
  for (size_t d = self->rank; d-- > 0;) {
    const size_t size = (size_t)self->sizes[d];
    rows[row * out->strides[0] + (int64_t)d * out->strides[1]] =
        (int64_t)(i % size);
    i /= size;
  }
}

et_status et_op_nonzero_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[1]->u.as_tensor;
  const et_view view = et_view_of(self);
  ET_RETURN_IF_ERROR(et_shape_supports(
      context, "nonzero",
      et_dtype_is_computable(self->dtype) && out->dtype == ET_SCALAR_TYPE_INT64,
      self, out));
  size_t count = 0;
  for (size_t i = 0; i < self->numel; i++) {
    count += is_nonzero(&view, i) ? 1 : 0;
  }
  const int32_t sizes[2] = {(int32_t)count, (int32_t)self->rank};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 2, context->error));
  const et_view out_view = et_view_of(out);
  int64_t row = 0;
  for (size_t i = 0; i < self->numel; i++) {
    if (is_nonzero(&view, i)) {
      write_coordinates(&view, i, &out_view, row++);
    }
  }
  return ET_STATUS_OK;
}
