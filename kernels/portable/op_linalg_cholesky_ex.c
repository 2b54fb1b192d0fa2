#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/factors.h"

/* Computes row `i` of the lower factor from the lower triangle. Returns false
 * if the square of its diagonal element is not positive. */
static bool factor_row(et_matrix *m, size_t i) {
  double *const row = et_matrix_row(m, i);
  for (size_t j = 0; j <= i; j++) {
    const double *const other = et_matrix_row(m, j);
    double rest = row[j];
    for (size_t k = 0; k < j; k++) {
      rest -= row[k] * other[k];
    }
    row[j] = j < i ? rest / other[j] : sqrt(rest);
  }
  for (size_t j = i + 1; j < m->columns; j++) {
    row[j] = 0.0;
  }
  return row[i] > 0.0;
}

/* Returns 0, or the 1-based index of the first row that cannot be
 * factorized. */
static int32_t factor(et_matrix *m) {
  int32_t failed = 0;
  for (size_t i = 0; i < m->rows; i++) {
    const bool is_positive = factor_row(m, i);
    failed = failed == 0 && !is_positive ? (int32_t)i + 1 : failed;
  }
  return failed;
}

/* For the upper factor, `matrices` and `factors` are transposed views. */
static et_status factor_all(et_kernel_context *context, const et_view *matrices,
                            const et_view *factors, const et_view *info,
                            bool check) {
  for (size_t i = 0; i < et_batch_count(matrices, 2); i++) {
    const et_view from = et_batch_at(matrices, 2, i);
    const et_view to = et_batch_at(factors, 2, i);
    et_matrix matrix = et_matrix_load(&from, context->scratch.data);
    const int32_t failed = factor(&matrix);
    et_matrix_store(&matrix, &to);
    et_int32_store(info, i, failed);
    ET_CHECK(context, !check || failed == 0,
             "linalg_cholesky_ex: matrix %zu is not positive definite (leading "
             "minor of order %d)",
             i, (int)failed);
  }
  return ET_STATUS_OK;
}

et_status et_op_linalg_cholesky_ex_l(et_kernel_context *context,
                                     et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  const bool is_upper = args[1]->u.as_bool;
  et_tensor *out = args[3]->u.as_tensor;
  et_tensor *info = args[4]->u.as_tensor;
  ET_RETURN_IF_ERROR(
      et_matrices_check(context, "linalg_cholesky_ex", self, true));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  ET_RETURN_IF_ERROR(et_batch_resize(context, self, 2, NULL, 0, info));
  const et_view from = et_view_of(self);
  const et_view to = et_view_of(out);
  const et_view infos = et_view_of(info);
  const et_view from_turned = et_view_transpose(&from);
  const et_view to_turned = et_view_transpose(&to);
  return factor_all(context, is_upper ? &from_turned : &from,
                    is_upper ? &to_turned : &to, &infos, args[2]->u.as_bool);
}
