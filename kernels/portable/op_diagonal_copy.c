#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"

/* Returns the view in which elements [i, i + offset] of two dimensions form a
 * last dimension. */
static et_view diagonal(const et_view *view, size_t row, size_t column,
                        int64_t offset) {
  const int64_t down = offset < 0 ? -offset : 0;
  const int64_t right = offset > 0 ? offset : 0;
  const int64_t rows = view->sizes[row] - down;
  const int64_t columns = view->sizes[column] - right;
  const int64_t length = rows < columns ? rows : columns;
  const int32_t count = length > 0 ? (int32_t)length : 0;
  et_view out = et_view_slice(view, row, count > 0 ? down : 0, 1, count);
  out = et_view_slice(&out, column, count > 0 ? right : 0, 1, count);
  out = et_view_select(&out, row > column ? row : column, 0);
  out = et_view_select(&out, row > column ? column : row, 0);
  out.sizes[out.rank] = count;
  out.strides[out.rank++] = view->strides[row] + view->strides[column];
  return out;
}

et_status et_op_diagonal_copy_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const int64_t offset = args[1]->u.as_int;
  size_t row = 0;
  size_t column = 0;
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "diagonal_copy: self", self, 2, ET_MAX_RANK));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "diagonal_copy", args[2]->u.as_int,
                                   self->rank, &row));
  ET_RETURN_IF_ERROR(et_shape_axis(context, "diagonal_copy", args[3]->u.as_int,
                                   self->rank, &column));
  ET_CHECK(context, row != column, "diagonal_copy: dimension %zu is repeated",
           row);
  ET_CHECK(context, offset >= -INT32_MAX && offset <= INT32_MAX,
           "diagonal_copy: offset %lld is too large", (long long)offset);
  const et_view view = et_view_of(self);
  const et_view part = diagonal(&view, row, column, offset);
  return et_copy_view_to(context, "diagonal_copy", &part, args[4]->u.as_tensor);
}
