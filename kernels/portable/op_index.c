#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/indexing.h"

et_status et_op_index_tensor_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  et_gather gather;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "index", self, out));
  ET_RETURN_IF_ERROR(et_gather_plan(context, "index", self, args[1], &gather));
  ET_RETURN_IF_ERROR(
      et_tensor_resize(out, gather.sizes, gather.rank, context->error));
  const et_view whole = et_view_of(out);
  const size_t count = et_gather_count(&gather);
  size_t cursor = 0;
  for (size_t i = 0; i < count; i++) {
    const et_view from = et_gather_self_at(&gather, i, &cursor);
    const et_view to = et_gather_result_at(&gather, &whole, i);
    ET_RETURN_IF_ERROR(et_copy_view(context, "index", &from, &to));
  }
  return ET_STATUS_OK;
}
