#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/matmul.h"

/* Plans the multiplication for the first batch item, which represents all
 * items. */
static et_status plan(et_kernel_context *context, et_value *const *args,
                      et_matmul *product) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *mat2 = args[1]->u.as_tensor;
  const et_tensor *out = args[2]->u.as_tensor;
  const et_view a = et_view_of(self);
  const et_view b = et_view_of(mat2);
  const et_view c = et_view_of(out);
  ET_RETURN_IF_ERROR(et_shape_rank(context, "bmm: self", self, 3, 3));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "bmm: mat2", mat2, 3, 3));
  ET_RETURN_IF_ERROR(et_shape_rank(context, "bmm: out", out, 3, 3));
  ET_CHECK(context, self->sizes[0] == mat2->sizes[0],
           "bmm: batches of %d and %d differ", (int)self->sizes[0],
           (int)mat2->sizes[0]);
  *product = (et_matmul){.name = "bmm",
                         .a = et_view_select(&a, 0, 0),
                         .b = et_view_select(&b, 0, 0),
                         .out = et_view_select(&c, 0, 0)};
  return ET_STATUS_OK;
}

et_status et_op_bmm_prepare(et_prepare_context *context, et_value *const *args,
                            void **out_state) {
  (void)out_state;
  return et_matmul_prepare(context, args, plan);
}

et_status et_op_bmm_out(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const et_tensor *mat2 = args[1]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  et_matmul product;
  ET_RETURN_IF_ERROR(plan(context, args, &product));
  const int32_t sizes[3] = {self->sizes[0], self->sizes[1], mat2->sizes[2]};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 3, context->error));
  const et_view a = et_view_of(self);
  const et_view b = et_view_of(mat2);
  const et_view c = et_view_of(out);
  for (int64_t i = 0; i < sizes[0]; i++) {
    product.a = et_view_select(&a, 0, i);
    product.b = et_view_select(&b, 0, i);
    product.out = et_view_select(&c, 0, i);
    ET_RETURN_IF_ERROR(et_matmul_run(context, &product));
  }
  return ET_STATUS_OK;
}
