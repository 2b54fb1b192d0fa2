#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/distance.h"

/* Computes the sizes of out: the broadcast leading dimensions, and the numbers
 * of rows. */
static et_status broadcast(et_kernel_context *context, const et_tensor *x1,
                           const et_tensor *x2, int32_t *sizes, size_t *rank) {
  et_tensor first = *x1;
  et_tensor second = *x2;
  et_tensor *leading[2] = {&first, &second};
  first.rank = (uint8_t)(x1->rank - 2);
  second.rank = (uint8_t)(x2->rank - 2);
  ET_RETURN_IF_ERROR(
      et_shape_broadcast(context, "cdist", leading, 2, sizes, rank));
  sizes[(*rank)++] = x1->sizes[x1->rank - 2];
  sizes[(*rank)++] = x2->sizes[x2->rank - 2];
  return ET_STATUS_OK;
}

/* Broadcasts the leading dimensions of `tensor` to those of out. */
static et_view with_leading(const et_tensor *tensor, const int32_t *sizes,
                            size_t rank) {
  const et_view view = et_view_of(tensor);
  int32_t wanted[ET_MAX_RANK];
  et_view out;
  memcpy(wanted, sizes, (rank - 2) * sizeof(*sizes));
  memcpy(wanted + rank - 2, view.sizes + view.rank - 2, 2 * sizeof(*sizes));
  et_view_expand(&view, wanted, rank, &out);
  return out;
}

/* Returns row `row` of matrix `matrix` of the batch. */
static et_view row_of(const et_view *view, size_t matrix, int64_t row) {
  const size_t last = view->rank - 1;
  const et_view vectors = et_view_select(view, last, 0);
  const et_view starts = et_view_select(&vectors, last - 1, 0);
  const int64_t offset =
      et_view_offset(&starts, matrix) + row * view->strides[last - 1];
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)view->dtype);
  return (et_view){view->data + (ptrdiff_t)offset * size,
                   view->dtype,
                   1,
                   {view->sizes[last]},
                   {view->strides[last]}};
}

static void measure(const et_view *x1, const et_view *x2, double p,
                    const et_tensor *out) {
  const et_view positions = et_view_of(out);
  const size_t rows = (size_t)x1->sizes[x1->rank - 2];
  const size_t columns = (size_t)x2->sizes[x2->rank - 2];
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)out->dtype);
  for (size_t i = 0; i < out->numel; i++) {
    const size_t matrix = i / columns / rows;
    const et_view a = row_of(x1, matrix, (int64_t)(i / columns % rows));
    const et_view b = row_of(x2, matrix, (int64_t)(i % columns));
    const double distance = et_distance(&a, &b, p);
    et_store_run(ET_COMPUTE_FLOAT64, &distance, out->dtype,
                 positions.data + et_view_offset(&positions, i) * size, 0, 1);
  }
}

static et_status check_cdist(et_kernel_context *context, const et_tensor *x1,
                             const et_tensor *x2, double p,
                             const et_tensor *out) {
  ET_RETURN_IF_ERROR(et_shape_supports(
      context, "cdist", et_scalar_type_is_floating(x1->dtype), x1, out));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "cdist", x1, x2));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "cdist", x1, out));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "cdist: x1", x1, 2, ET_MAX_RANK));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "cdist: x2", x2, 2, ET_MAX_RANK));
  ET_CHECK(context, x1->sizes[x1->rank - 1] == x2->sizes[x2->rank - 1],
           "cdist: vectors have %d and %d elements",
           (int)x1->sizes[x1->rank - 1], (int)x2->sizes[x2->rank - 1]);
  return et_distance_check(context, "cdist", p);
}

/* compute_mode does not affect the result. */
et_status et_op_cdist_forward_out(et_kernel_context *context, et_value **args) {
  const et_tensor *x1 = args[0]->u.as_tensor;
  const et_tensor *x2 = args[1]->u.as_tensor;
  const double p = args[2]->u.as_double;
  et_tensor *out = args[4]->u.as_tensor;
  int32_t sizes[ET_MAX_RANK];
  size_t rank = 0;
  ET_RETURN_IF_ERROR(check_cdist(context, x1, x2, p, out));
  ET_RETURN_IF_ERROR(broadcast(context, x1, x2, sizes, &rank));
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, rank, context->error));
  const et_view first = with_leading(x1, sizes, rank);
  const et_view second = with_leading(x2, sizes, rank);
  measure(&first, &second, p, out);
  return ET_STATUS_OK;
}
