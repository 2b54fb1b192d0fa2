#include "executorch/kernels/args.h"
#include "executorch/kernels/copy.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/indexing.h"

/* Replaces the selected elements with elements of source, in row-major
 * order. */
et_status et_op_masked_scatter_out(et_kernel_context *context,
                                   et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *source = args[2]->u.as_tensor;
  et_tensor *out = args[3]->u.as_tensor;
  et_mask plan;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "masked_scatter", self, out));
  ET_RETURN_IF_ERROR(
      et_shape_same_dtype(context, "masked_scatter", self, source));
  ET_RETURN_IF_ERROR(et_mask_plan(context, "masked_scatter", self,
                                  args[1]->u.as_tensor, &plan));
  ET_CHECK(context, plan.selected <= source->numel,
           "masked_scatter: source has %zu elements, mask selects %zu",
           source->numel, plan.selected);
  ET_RETURN_IF_ERROR(
      et_copy_view_to(context, "masked_scatter", &plan.self, out));
  const et_view from = et_view_of(source);
  const et_view to = et_view_of(out);
  size_t next = 0;
  for (size_t i = 0; i < plan.numel; i++) {
    if (et_mask_at(&plan, i)) {
      et_mask_move(&from, next++, &to, i);
    }
  }
  return ET_STATUS_OK;
}
