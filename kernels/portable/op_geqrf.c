#include "executorch/kernels/shape.h"
#include "kernels/engines/linear_algebra.h"
#include "kernels/portable/factors.h"

et_status et_op_geqrf_a(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *a = args[1]->u.as_tensor;
  et_tensor *tau = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_matrices_check(context, "geqrf", self, false));
  const size_t rows = et_size_from_end(self, 2);
  const size_t columns = et_size_from_end(self, 1);
  const size_t count = rows < columns ? rows : columns;
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, a, self));
  ET_RETURN_IF_ERROR(et_batch_resize(context, self, 2, &count, 1, tau));
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(a);
  const et_view scales = et_view_of(tau);
  for (size_t i = 0; i < et_batch_count(&from, 2); i++) {
    const et_view source = et_batch_at(&from, 2, i);
    const et_view target = et_batch_at(&to, 2, i);
    const et_view scale = et_batch_at(&scales, 1, i);
    et_matrix matrix = et_matrix_load(&source, context->scratch.data);
    double *const tau = matrix.at + rows * columns;
    et_reflectors_factor(&matrix, tau);
    et_matrix_store(&matrix, &target);
    et_vector_store(tau, &scale);
  }
  return ET_STATUS_OK;
}
