#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/shape.h"

static et_status resize_out(et_kernel_context *context,
                            const et_tensor *indices, int32_t width,
                            et_tensor *out) {
  int32_t sizes[ET_MAX_RANK];
  ET_RETURN_IF_ERROR(et_shape_rank(context, "embedding: indices", indices, 0,
                                   ET_MAX_RANK - 1));
  for (size_t d = 0; d < indices->rank; d++) {
    sizes[d] = indices->sizes[d];
  }
  sizes[indices->rank] = width;
  return et_tensor_resize(out, sizes, (size_t)indices->rank + 1,
                          context->error);
}

/* Returns row `row` of `out`, with the leading dimensions flattened. */
static et_view row_of(const et_view *out, size_t row) {
  const size_t last = out->rank - 1;
  et_view leading = *out;
  leading.rank = last;
  et_view view = {
      out->data, out->dtype, 1, {out->sizes[last]}, {out->strides[last]}};
  view.data += et_view_offset(&leading, row) *
               (int64_t)et_scalar_type_size((int32_t)out->dtype);
  return view;
}

/* The gradient options do not affect the result. */
et_status et_op_embedding_out(et_kernel_context *context, et_value **args) {
  const et_tensor *weight = args[0]->u.as_tensor;
  const et_tensor *indices = args[1]->u.as_tensor;
  et_tensor *out = args[5]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "embedding: weight", weight, 2, 2));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "embedding", weight, out));
  ET_RETURN_IF_ERROR(
      et_index_check(context, "embedding", indices, weight->sizes[0], false));
  ET_RETURN_IF_ERROR(resize_out(context, indices, weight->sizes[1], out));
  const et_view rows = et_view_of(weight);
  const et_view whole = et_view_of(out);
  const et_view index_view = et_view_of(indices);
  for (size_t i = 0; i < indices->numel; i++) {
    const int64_t index = et_index_at(&index_view, i);
    const et_view from = et_view_select(&rows, 0, index);
    const et_view to = row_of(&whole, i);
    ET_RETURN_IF_ERROR(et_copy_view(context, "embedding", &from, &to));
  }
  return ET_STATUS_OK;
}
