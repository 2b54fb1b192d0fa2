#include "kernels/portable/factors.h"

et_status et_op_linalg_lu_solve_out(et_kernel_context *context,
                                    et_value **args) {
  const et_tensor *factors = args[0]->u.as_tensor;
  const et_tensor *pivots = args[1]->u.as_tensor;
  const bool is_adjoint = args[4]->u.as_bool;
  const et_system_form form = {"linalg_lu_solve", args[3]->u.as_bool, false};
  et_system system;
  ET_RETURN_IF_ERROR(et_system_plan(context, &form, factors,
                                    args[2]->u.as_tensor, args[5]->u.as_tensor,
                                    &system));
  ET_RETURN_IF_ERROR(et_pivots_check(context, form.what, factors, pivots));
  const et_view all_pivots = et_view_of(pivots);
  for (size_t i = 0; i < system.count; i++) {
    const et_view matrix = et_system_piece(&system, &system.matrices, 2, i);
    const et_view order = et_system_piece(&system, &all_pivots, 1, i);
    et_lu lu = et_lu_load(&matrix, context->scratch.data);
    ET_RETURN_IF_ERROR(et_pivots_load(context, form.what, &order,
                                      lu.factors.rows, (int32_t)lu.factors.rows,
                                      lu.pivots));
    lu.transposed = is_adjoint == form.is_left;
    et_system_solve(&system, i, et_lu_solve, &lu, et_lu_panel(&lu));
  }
  return ET_STATUS_OK;
}
