#include "executorch/kernels/shape.h"
#include "kernels/portable/factors.h"

/* Solves for the columns of the identity matrix. Returns et_lu_factor's
 * result. */
static int32_t invert(const et_view *matrix, const et_view *inverse,
                      void *scratch) {
  et_lu lu = et_lu_load(matrix, scratch);
  const int32_t info = et_lu_factor(&lu);
  et_columns_run(NULL, inverse, et_lu_solve, &lu, et_lu_panel(&lu));
  return info;
}

et_status et_op_linalg_inv_ex_inverse(et_kernel_context *context,
                                      et_value **args) {
  const et_tensor *a = args[0]->u.as_tensor;
  const bool check = args[1]->u.as_bool;
  et_tensor *inverse = args[2]->u.as_tensor;
  et_tensor *info = args[3]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_matrices_check(context, "linalg_inv_ex", a, true));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, inverse, a));
  ET_RETURN_IF_ERROR(et_batch_resize(context, a, 2, NULL, 0, info));
  const et_view from = et_view_of(a);
  const et_view to = et_view_of(inverse);
  const et_view infos = et_view_of(info);
  for (size_t i = 0; i < et_batch_count(&from, 2); i++) {
    const et_view source = et_batch_at(&from, 2, i);
    const et_view target = et_batch_at(&to, 2, i);
    const int32_t zero = invert(&source, &target, context->scratch.data);
    et_int32_store(&infos, i, zero);
    ET_RETURN_IF_ERROR(
        et_factors_check(context, "linalg_inv_ex", check, i, zero));
  }
  return ET_STATUS_OK;
}
