#include "executorch/kernels/shape.h"
#include "kernels/engines/linear_algebra.h"

et_status et_op_linalg_matrix_exp_out(et_kernel_context *context,
                                      et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[1]->u.as_tensor;
  ET_RETURN_IF_ERROR(
      et_matrices_check(context, "linalg_matrix_exp", self, true));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(out);
  for (size_t i = 0; i < et_batch_count(&from, 2); i++) {
    const et_view source = et_batch_at(&from, 2, i);
    const et_view target = et_batch_at(&to, 2, i);
    et_matrix matrix = et_matrix_load(&source, context->scratch.data);
    et_exponential(&matrix);
    et_matrix_store(&matrix, &target);
  }
  return ET_STATUS_OK;
}

et_status et_op_linalg_matrix_exp_prepare(et_prepare_context *context,
                                          et_value *const *args,
                                          void **out_state) {
  (void)out_state;
  const size_t size = et_size_from_end(args[0]->u.as_tensor, 1);
  context->scratch_bytes = ET_EXPONENTIAL_SCRATCH(size);
  return ET_STATUS_OK;
}
