#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/factors.h"

static et_status resize(et_kernel_context *context, const et_tensor *a,
                        et_value **outs) {
  const size_t rows = et_size_from_end(a, 2);
  const size_t columns = et_size_from_end(a, 1);
  const size_t steps = rows < columns ? rows : columns;
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, outs[0]->u.as_tensor, a));
  ET_RETURN_IF_ERROR(
      et_batch_resize(context, a, 2, &steps, 1, outs[1]->u.as_tensor));
  return et_batch_resize(context, a, 2, NULL, 0, outs[2]->u.as_tensor);
}

/* Factorizes matrix `i` of `from`. `to` is factors, pivots and info. */
static int32_t factor(const et_view *from, size_t i, const et_view *to,
                      void *scratch) {
  const et_view matrix = et_batch_at(from, 2, i);
  const et_view factors = et_batch_at(&to[0], 2, i);
  const et_view pivots = et_batch_at(&to[1], 1, i);
  et_lu lu = et_lu_load(&matrix, scratch);
  const int32_t zero = et_lu_factor(&lu);
  et_matrix_store(&lu.factors, &factors);
  et_pivots_store(lu.pivots, &pivots);
  et_int32_store(&to[2], i, zero);
  return zero;
}

et_status et_op_linalg_lu_factor_ex_out(et_kernel_context *context,
                                        et_value **args) {
  const char *what = "linalg_lu_factor_ex";
  const et_tensor *a = args[0]->u.as_tensor;
  const bool check = args[2]->u.as_bool;
  ET_RETURN_IF_ERROR(et_matrices_check(context, what, a, false));
  ET_CHECK(context, args[1]->u.as_bool,
           "%s: pivot = False is not supported; use pivot = True", what);
  ET_RETURN_IF_ERROR(resize(context, a, args + 3));
  const et_view from = et_view_of(a);
  const et_view to[3] = {et_view_of(args[3]->u.as_tensor),
                         et_view_of(args[4]->u.as_tensor),
                         et_view_of(args[5]->u.as_tensor)};
  for (size_t i = 0; i < et_batch_count(&from, 2); i++) {
    const int32_t zero = factor(&from, i, to, context->scratch.data);
    ET_RETURN_IF_ERROR(et_factors_check(context, what, check, i, zero));
  }
  return ET_STATUS_OK;
}
