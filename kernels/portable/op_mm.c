#include "executorch/kernels/shape.h"
#include "kernels/engines/matmul.h"

et_status et_op_mm_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *mat2 = args[1]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "mm: self", self, 2, 2));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "mm: mat2", mat2, 2, 2));
  const int32_t sizes[2] = {self->sizes[0], mat2->sizes[1]};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 2, context->error));
  const et_matmul product = {.name = "mm",
                             .a = et_view_of(self),
                             .b = et_view_of(mat2),
                             .out = et_view_of(out)};
  return et_matmul_run(context, &product);
}
