#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/distance.h"

/* Computes all pairs of rows i < j, ordered by i, then by j. */
static void measure(const et_view *rows, double p, const et_view *out) {
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)out->dtype);
  uint8_t *to = out->data;
  for (int64_t i = 0; i < rows->sizes[0]; i++) {
    for (int64_t j = i + 1; j < rows->sizes[0]; j++, to += size) {
      const et_view a = et_view_select(rows, 0, i);
      const et_view b = et_view_select(rows, 0, j);
      const double distance = et_distance(&a, &b, p);
      et_store_run(ET_COMPUTE_FLOAT64, &distance, out->dtype, to, 0, 1);
    }
  }
}

et_status et_op_pdist_forward_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const double p = args[1]->u.as_double;
  et_tensor *out = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_supports(
      context, "pdist", et_scalar_type_is_floating(self->dtype), self, out));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "pdist", self, out));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "pdist: self", self, 2, 2));
  ET_RETURN_IF_ERROR(et_distance_check(context, "pdist", p));
  const int64_t rows = self->sizes[0];
  const int64_t pairs = rows == 0 ? 0 : rows * (rows - 1) / 2;
  ET_CHECK(context, pairs <= INT32_MAX, "pdist: %lld rows have too many pairs",
           (long long)rows);
  const int32_t sizes[1] = {(int32_t)pairs};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 1, context->error));
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(out);
  measure(&from, p, &to);
  return ET_STATUS_OK;
}
