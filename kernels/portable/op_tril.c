#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

static int64_t clip(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Returns columns [start, end) of row `row` of each matrix. */
static et_view part_of(const et_view *view, int64_t row, int64_t start,
                       int64_t end) {
  const et_view rows = et_view_select(view, view->rank - 2, row);
  return et_view_slice(&rows, rows.rank - 1, end > start ? start : 0, 1,
                       (int32_t)(end - start));
}

/* Copies the elements up to the diagonal, or from the diagonal on, row by
 * row. */
static et_status keep(et_kernel_context *context, const char *what,
                      et_value **args, bool upper) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  /* A diagonal beyond these limits is outside any matrix. */
  const int64_t diagonal = clip(args[1]->u.as_int, INT32_MIN, INT32_MAX);
  const et_value zero = {ET_VALUE_INT, {.as_int = 0}};
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, self, out));
  ET_RETURN_IF_ERROR(et_shape_rank(context, what, self, 2, ET_MAX_RANK));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(out);
  const int64_t columns = from.sizes[from.rank - 1];
  ET_RETURN_IF_ERROR(et_fill_view(context, what, &zero, &to));
  for (int64_t row = 0; row < from.sizes[from.rank - 2]; row++) {
    const int64_t start = upper ? clip(row + diagonal, 0, columns) : 0;
    const int64_t end = upper ? columns : clip(row + diagonal + 1, 0, columns);
    const et_view in = part_of(&from, row, start, end);
    const et_view target = part_of(&to, row, start, end);
    ET_RETURN_IF_ERROR(et_copy_view(context, what, &in, &target));
  }
  return ET_STATUS_OK;
}

et_status et_op_tril_out(et_kernel_context *context, et_value **args) {
  return keep(context, "tril", args, false);
}

et_status et_op_triu_out(et_kernel_context *context, et_value **args) {
  return keep(context, "triu", args, true);
}
