#include "executorch/kernels/shape.h"
#include "kernels/portable/indexing.h"

et_status et_op_masked_select_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  et_mask plan;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "masked_select", self, out));
  ET_RETURN_IF_ERROR(et_mask_plan(context, "masked_select", self,
                                  args[1]->u.as_tensor, &plan));
  const int32_t sizes[1] = {(int32_t)plan.selected};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 1, context->error));
  const et_view to = et_view_of(out);
  size_t next = 0;
  for (size_t i = 0; i < plan.numel; i++) {
    if (et_mask_at(&plan, i)) {
      et_mask_move(&plan.self, i, &to, next++);
    }
  }
  return ET_STATUS_OK;
}
