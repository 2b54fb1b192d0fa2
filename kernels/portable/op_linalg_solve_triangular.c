#include "kernels/engines/linear_algebra.h"
#include "kernels/portable/factors.h"

static void solve(const void *state, et_panel *panel) {
  et_triangle_solve(state, panel);
}

et_status et_op_linalg_solve_triangular_out(et_kernel_context *context,
                                            et_value **args) {
  const bool is_upper = args[2]->u.as_bool;
  const bool is_unit = args[4]->u.as_bool;
  const et_system_form form = {"linalg_solve_triangular", args[3]->u.as_bool,
                               false};
  et_system system;
  ET_RETURN_IF_ERROR(et_system_plan(context, &form, args[0]->u.as_tensor,
                                    args[1]->u.as_tensor, args[5]->u.as_tensor,
                                    &system));
  for (size_t i = 0; i < system.count; i++) {
    const et_view from = et_system_piece(&system, &system.matrices, 2, i);
    const et_matrix matrix = et_matrix_load(&from, context->scratch.data);
    const et_triangle given = et_triangle_of(&matrix, is_upper, is_unit);
    const et_triangle t = form.is_left ? given : et_triangle_transpose(&given);
    et_system_solve(&system, i, solve, &t,
                    matrix.at + matrix.rows * matrix.columns);
  }
  return ET_STATUS_OK;
}
