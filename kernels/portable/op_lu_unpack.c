#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/portable/factors.h"

static const char *const name = "lu_unpack";

/* Outputs that are not requested are empty. */
static et_status resize(et_kernel_context *context, et_value **args) {
  const et_tensor *data = args[0]->u.as_tensor;
  const size_t rows = et_size_from_end(data, 2);
  const size_t columns = et_size_from_end(data, 1);
  const size_t steps = rows < columns ? rows : columns;
  const size_t sizes[3][2] = {{rows, rows}, {rows, steps}, {steps, columns}};
  for (size_t k = 0; k < 3; k++) {
    et_tensor *out = args[4 + k]->u.as_tensor;
    const bool is_asked = args[k == 0 ? 3 : 2]->u.as_bool;
    const int32_t none = 0;
    ET_RETURN_IF_ERROR(is_asked
                           ? et_batch_resize(context, data, 2, sizes[k], 2, out)
                           : et_tensor_resize(out, &none, 1, context->error));
  }
  return ET_STATUS_OK;
}

/* Stores the permutation matrix: column i has its 1 in the original row of row
 * i of the factors. */
static void store_order(int32_t *order, const int32_t *pivots, size_t steps,
                        et_matrix *unit, const et_view *to) {
  for (size_t i = 0; i < unit->columns; i++) {
    order[i] = (int32_t)i;
  }
  for (size_t k = 0; k < steps; k++) {
    const int32_t kept = order[k];
    order[k] = order[pivots[k] - 1];
    order[pivots[k] - 1] = kept;
  }
  for (size_t i = 0; i < unit->columns; i++) {
    for (size_t j = 0; j < unit->columns; j++) {
      unit->at[j] = order[j] == (int32_t)i ? 1.0 : 0.0;
    }
    const et_view row = et_view_slice(to, 0, (int64_t)i, 1, 1);
    et_matrix_store(unit, &row);
  }
}

static et_status unpack_pivots(et_kernel_context *context, const et_view *from,
                               size_t steps, const et_view *to) {
  const size_t size = (size_t)to->sizes[0];
  et_matrix row = {(double *)(void *)context->scratch.data, 1, size};
  int32_t *const pivots = (int32_t *)(void *)(row.at + size);
  ET_RETURN_IF_ERROR(
      et_pivots_load(context, name, from, steps, (int32_t)size, pivots));
  store_order(pivots + size, pivots, steps, &row, to);
  return ET_STATUS_OK;
}

/* Returns an element of row `i` of U, or of L, whose diagonal is 1. */
static double element_of(const double *row, size_t i, size_t j, bool upper) {
  if (upper) {
    return j >= i ? row[j] : 0.0;
  }
  return j < i ? row[j] : j == i ? 1.0 : 0.0;
}

static void unpack_factor(const et_matrix *factors, bool upper,
                          const et_view *to) {
  et_matrix row = {factors->at + factors->rows * factors->columns, 1,
                   (size_t)to->sizes[1]};
  for (size_t i = 0; i < (size_t)to->sizes[0]; i++) {
    for (size_t j = 0; j < row.columns; j++) {
      row.at[j] = element_of(et_matrix_row(factors, i), i, j, upper);
    }
    const et_view target = et_view_slice(to, 0, (int64_t)i, 1, 1);
    et_matrix_store(&row, &target);
  }
}

static void unpack_data(const et_view *from, const et_view *lower,
                        const et_view *upper, size_t i, void *scratch) {
  const et_view source = et_batch_at(from, 2, i);
  const et_view below = et_batch_at(lower, 2, i);
  const et_view above = et_batch_at(upper, 2, i);
  const et_matrix factors = et_matrix_load(&source, scratch);
  unpack_factor(&factors, false, &below);
  unpack_factor(&factors, true, &above);
}

et_status et_op_lu_unpack_out(et_kernel_context *context, et_value **args) {
  ET_RETURN_IF_ERROR(
      et_matrices_check(context, name, args[0]->u.as_tensor, false));
  ET_RETURN_IF_ERROR(et_pivots_check(context, name, args[0]->u.as_tensor,
                                     args[1]->u.as_tensor));
  ET_RETURN_IF_ERROR(resize(context, args));
  const et_view data = et_view_of(args[0]->u.as_tensor);
  const size_t rows = et_size_from_end(args[0]->u.as_tensor, 2);
  const size_t columns = et_size_from_end(args[0]->u.as_tensor, 1);
  const size_t steps = rows < columns ? rows : columns;
  const et_view pivots = et_view_of(args[1]->u.as_tensor);
  const et_view order = et_view_of(args[4]->u.as_tensor);
  const et_view lower = et_view_of(args[5]->u.as_tensor);
  const et_view upper = et_view_of(args[6]->u.as_tensor);
  for (size_t i = 0; i < et_batch_count(&data, 2); i++) {
    if (args[2]->u.as_bool) {
      unpack_data(&data, &lower, &upper, i, context->scratch.data);
    }
    if (args[3]->u.as_bool) {
      const et_view from = et_batch_at(&pivots, 1, i);
      const et_view to = et_batch_at(&order, 2, i);
      ET_RETURN_IF_ERROR(unpack_pivots(context, &from, steps, &to));
    }
  }
  return ET_STATUS_OK;
}
