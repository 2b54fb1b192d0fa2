#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/factors.h"

/* The outputs other than the result. They have the batch shape of the first
 * operand. */
typedef struct extras {
  et_view factors;
  et_view pivots;
  et_view info;
} extras;

/* Returns true if b holds vectors: it has one dimension, or its shape is the
 * matrices' batch shape followed by the number of rows. */
static bool knows_vectors(const et_tensor *a, const et_tensor *b) {
  bool same = b->rank + 1 == a->rank;
  for (size_t d = 0; same && d < b->rank; d++) {
    same = a->sizes[d] == b->sizes[d];
  }
  return same || b->rank == 1;
}

static et_status resize(et_kernel_context *context, const et_tensor *a,
                        et_value **outs, extras *more) {
  et_tensor *factors = outs[0]->u.as_tensor;
  et_tensor *pivots = outs[1]->u.as_tensor;
  et_tensor *info = outs[2]->u.as_tensor;
  const size_t size = et_size_from_end(a, 1);
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, factors, a));
  ET_RETURN_IF_ERROR(et_batch_resize(context, a, 2, &size, 1, pivots));
  ET_RETURN_IF_ERROR(et_batch_resize(context, a, 2, NULL, 0, info));
  more->factors = et_view_of(factors);
  more->pivots = et_view_of(pivots);
  more->info = et_view_of(info);
  return ET_STATUS_OK;
}

/* Factorizes the matrix of system `i`, and stores the additional outputs. */
static int32_t factor(const et_system *s, size_t i, const extras *more,
                      et_lu *lu) {
  const et_view factors = et_system_piece(s, &more->factors, 2, i);
  const et_view pivots = et_system_piece(s, &more->pivots, 1, i);
  const et_view info = et_system_piece(s, &more->info, 0, i);
  const int32_t zero = et_lu_factor(lu);
  et_matrix_store(&lu->factors, &factors);
  et_pivots_store(lu->pivots, &pivots);
  et_int32_store(&info, 0, zero);
  return zero;
}

et_status et_op_linalg_solve_ex_result(et_kernel_context *context,
                                       et_value **args) {
  const et_tensor *a = args[0]->u.as_tensor;
  const et_tensor *b = args[1]->u.as_tensor;
  const bool check = args[3]->u.as_bool;
  const et_system_form form = {"_linalg_solve_ex", args[2]->u.as_bool,
                               knows_vectors(a, b)};
  et_system system;
  extras more;
  ET_RETURN_IF_ERROR(
      et_system_plan(context, &form, a, b, args[4]->u.as_tensor, &system));
  ET_RETURN_IF_ERROR(resize(context, a, args + 5, &more));
  for (size_t i = 0; i < system.count; i++) {
    const et_view matrix = et_system_piece(&system, &system.matrices, 2, i);
    et_lu lu = et_lu_load(&matrix, context->scratch.data);
    const int32_t zero = factor(&system, i, &more, &lu);
    ET_RETURN_IF_ERROR(et_factors_check(context, form.what, check, i, zero));
    lu.transposed = !form.is_left;
    et_system_solve(&system, i, et_lu_solve, &lu, et_lu_panel(&lu));
  }
  return ET_STATUS_OK;
}
