#include "executorch/kernels/shape.h"
#include "kernels/engines/matmul.h"

static et_status plan(et_kernel_context *context, et_value *const *args,
                      et_matmul *product) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *mat2 = args[1]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "mm: self", self, 2, 2));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "mm: mat2", mat2, 2, 2));
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "mm: out", args[2]->u.as_tensor, 2, 2));
  *product = (et_matmul){.name = "mm",
                         .a = et_view_of(self),
                         .b = et_view_of(mat2),
                         .out = et_view_of(args[2]->u.as_tensor)};
  return ET_STATUS_OK;
}

et_status et_op_mm_prepare(et_prepare_context *context, et_value *const *args,
                           void **out_state) {
  (void)out_state;
  return et_matmul_prepare(context, args, plan);
}

et_status et_op_mm_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[2]->u.as_tensor;
  et_matmul product;
  ET_RETURN_IF_ERROR(plan(context, args, &product));
  const int32_t sizes[2] = {product.a.sizes[0], product.b.sizes[1]};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 2, context->error));
  product.out = et_view_of(out);
  return et_matmul_run(context, &product);
}
