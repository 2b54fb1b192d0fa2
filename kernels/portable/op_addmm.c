#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/matmul.h"

static et_status plan(et_kernel_context *context, et_value *const *args,
                      et_matmul *product) {
  const et_tensor *mat1 = args[1]->u.as_tensor;
  const et_tensor *mat2 = args[2]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_shape_rank(context, "addmm: mat1", mat1, 2, 2));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "addmm: mat2", mat2, 2, 2));
  ET_RETURN_IF_ERROR(
      et_shape_rank(context, "addmm: out", args[5]->u.as_tensor, 2, 2));
  const int32_t sizes[2] = {mat1->sizes[0], mat2->sizes[1]};
  const et_view self = et_view_of(args[0]->u.as_tensor);
  *product = (et_matmul){.name = "addmm",
                         .a = et_view_of(mat1),
                         .b = et_view_of(mat2),
                         .out = et_view_of(args[5]->u.as_tensor),
                         .beta = args[3],
                         .alpha = args[4]};
  ET_CHECK(context, et_view_expand(&self, sizes, 2, &product->bias),
           "addmm: self does not broadcast to [%d, %d]", (int)sizes[0],
           (int)sizes[1]);
  return ET_STATUS_OK;
}

et_status et_op_addmm_prepare(et_prepare_context *context,
                              et_value *const *args, void **out_state) {
  (void)out_state;
  return et_matmul_prepare(context, args, plan);
}

et_status et_op_addmm_out(et_kernel_context *context, et_value **args) {
  et_tensor *out = args[5]->u.as_tensor;
  et_matmul product;
  ET_RETURN_IF_ERROR(plan(context, args, &product));
  const int32_t sizes[2] = {product.a.sizes[0], product.b.sizes[1]};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 2, context->error));
  product.out = et_view_of(out);
  return et_matmul_run(context, &product);
}
