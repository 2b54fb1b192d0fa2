#include <string.h>

#include "executorch/kernels/shape.h"

/* Both tensors lie in row-major order, so that the pairs are where they were. */
et_status et_op_view_as_real_copy_out(et_kernel_context *context,
                                      et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[1]->u.as_tensor;
  int32_t sizes[ET_MAX_RANK];
  for (size_t d = 0; d < self->rank; d++) {
    sizes[d] = self->sizes[d];
  }
  sizes[self->rank] = 2;
  ET_RETURN_IF_ERROR(
      et_tensor_resize(out, sizes, (size_t)self->rank + 1, context->error));
  if (out->numel > 0) {
    memcpy(out->data, self->data, et_tensor_nbytes(self));
  }
  return ET_STATUS_OK;
}
