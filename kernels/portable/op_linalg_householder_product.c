#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/factors.h"

et_status et_op_linalg_householder_product_out(et_kernel_context *context,
                                               et_value **args) {
  const char *what = "linalg_householder_product";
  const et_tensor *input = args[0]->u.as_tensor;
  et_tensor *out = args[2]->u.as_tensor;
  et_householder h;
  ET_RETURN_IF_ERROR(
      et_householder_plan(context, what, input, args[1]->u.as_tensor, &h));
  ET_CHECK(context, et_size_from_end(input, 2) >= et_size_from_end(input, 1),
           "%s: matrices have more columns than rows", what);
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, input));
  const et_view to = et_view_of(out);
  for (size_t i = 0; i < et_batch_count(&to, 2); i++) {
    const et_view target = et_batch_at(&to, 2, i);
    const et_reflectors r = et_householder_load(&h, i, context->scratch.data);
    et_columns_run(NULL, &target, et_reflectors_apply, &r,
                   et_householder_panel(&r));
  }
  return ET_STATUS_OK;
}
