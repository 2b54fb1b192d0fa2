#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/shape.h"

et_status et_op_index_select_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *index = args[2]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  int32_t sizes[ET_MAX_RANK];
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "index_select", self, out));
  ET_RETURN_IF_ERROR(et_shape_some_axis(context, "index_select", self->rank,
                                        args[1]->u.as_int, &axis));
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "index_select: index", index, 0, 1));
  ET_RETURN_IF_ERROR(
      et_index_check(context, "index_select", index, self->sizes[axis], false));
  for (size_t d = 0; d < self->rank; d++) {
    sizes[d] = d == axis ? (int32_t)index->numel : self->sizes[d];
  }
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, self->rank, context->error));
  const et_view whole = et_view_of(self);
  const et_view target = et_view_of(out);
  const et_view positions = et_view_of(index);
  for (size_t i = 0; i < index->numel; i++) {
    const et_view from =
        et_view_select(&whole, axis, et_index_at(&positions, i));
    const et_view to = et_view_select(&target, axis, (int64_t)i);
    ET_RETURN_IF_ERROR(et_copy_view(context, "index_select", &from, &to));
  }
  return ET_STATUS_OK;
}
