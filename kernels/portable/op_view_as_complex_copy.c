#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"

/* Both tensors lie in row-major order, so that the pairs are where they were. */
et_status et_op_view_as_complex_copy_out(et_kernel_context *context,
                                         et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *out = args[1]->u.as_tensor;
  ET_CHECK(context, self->sizes[self->rank - 1] == 2,
           "view_as_complex_copy: the last dimension has %d elements, not 2",
           (int)self->sizes[self->rank - 1]);
  ET_RETURN_IF_ERROR(et_tensor_resize(out, self->sizes, (size_t)self->rank - 1,
                                      context->error));
  if (out->numel > 0) {
    memcpy(out->data, self->data, et_tensor_nbytes(out));
  }
  return ET_STATUS_OK;
}
