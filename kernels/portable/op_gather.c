#include <string.h>

#include "executorch/kernels/shape.h"
#include "kernels/portable/indexing.h"

static void get(et_scalar_type dtype, uint8_t *other, uint8_t *element) {
  memcpy(other, element, et_scalar_type_size((int32_t)dtype));
}

et_status et_op_gather_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *index = args[2]->u.as_tensor;
  et_tensor *out = args[4]->u.as_tensor;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "gather", self, out));
  ET_RETURN_IF_ERROR(
      et_along_check(context, "gather", self, args[1], index, &axis));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, index));
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(out);
  et_along_run(index, &to, &from, axis, get);
  return ET_STATUS_OK;
}
