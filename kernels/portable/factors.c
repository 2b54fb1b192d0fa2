#include "kernels/portable/factors.h"

#include "executorch/kernels/args.h"

et_status et_factors_prepare(et_prepare_context *context, et_value *const *args,
                             void **out_state) {
  (void)out_state;
  const et_tensor *matrix = args[0]->u.as_tensor;
  context->scratch_bytes = ET_FACTORS_SCRATCH(et_size_from_end(matrix, 2),
                                              et_size_from_end(matrix, 1));
  return ET_STATUS_OK;
}

et_status et_factors_check(et_kernel_context *context, const char *what,
                           bool check, size_t index, int32_t zero) {
  ET_CHECK(context, !check || zero == 0,
           "%s: matrix %zu has no inverse: pivot %d is zero; pass invertible "
           "matrices",
           what, index, (int)zero);
  return ET_STATUS_OK;
}

et_status et_pivots_check(et_kernel_context *context, const char *what,
                          const et_tensor *factors, const et_tensor *pivots) {
  const size_t batch = factors->rank - 2;
  const int32_t *const sizes = factors->sizes + batch;
  const int32_t steps = sizes[0] < sizes[1] ? sizes[0] : sizes[1];
  bool fits = pivots->rank == batch + 1 && pivots->sizes[batch] >= steps;
  for (size_t d = 0; fits && d < batch; d++) {
    fits = pivots->sizes[d] == factors->sizes[d];
  }
  ET_CHECK(context, fits, "%s: matrices of %d x %d need %d pivots each", what,
           (int)sizes[0], (int)sizes[1], (int)steps);
  return ET_STATUS_OK;
}

void et_pivots_store(const int32_t *pivots, const et_view *to) {
  for (size_t k = 0; k < (size_t)to->sizes[0]; k++) {
    et_int32_store(to, k, pivots[k]);
  }
}

et_status et_pivots_load(et_kernel_context *context, const char *what,
                         const et_view *from, size_t count, int32_t limit,
                         int32_t *pivots) {
  for (size_t k = 0; k < count; k++) {
    pivots[k] = et_int32_load(from, k);
    ET_CHECK(context, pivots[k] >= 1 && pivots[k] <= limit,
             "%s: pivot %d is not in [1, %d]", what, (int)pivots[k],
             (int)limit);
  }
  return ET_STATUS_OK;
}

/* Returns the view with a last dimension of size 1. */
static et_view as_column(const et_view *view) {
  et_view column = *view;
  column.sizes[view->rank] = 1;
  column.strides[view->rank] = 1;
  column.rank = view->rank + 1;
  return column;
}

/* Views an operand or a result as columns. */
static et_view columns_of(const et_tensor *tensor, const et_system_form *form) {
  const et_view view = et_view_of(tensor);
  const et_view columns = form->is_vector ? as_column(&view) : view;
  return form->is_left ? columns : et_view_transpose(&columns);
}

/* Returns the size of batch dimension `d`, counted from the last. */
static int32_t batch_size(const et_view *view, size_t d) {
  return d + 2 < view->rank ? view->sizes[view->rank - 3 - d] : 1;
}

/* Sets `to` to the broadcast batch dimensions, followed by the last sizes of
 * `b`. */
static et_status broadcast(et_kernel_context *context, const char *what,
                           const et_view *a, const et_view *b, et_view *to) {
  to->rank = a->rank > b->rank ? a->rank : b->rank;
  for (size_t d = 0; d + 2 < to->rank; d++) {
    const int32_t first = batch_size(a, d);
    const int32_t second = batch_size(b, d);
    ET_CHECK(context, first == second || first == 1 || second == 1,
             "%s: batches of %d and %d do not match", what, (int)first,
             (int)second);
    to->sizes[to->rank - 3 - d] = first == 1 ? second : first;
  }
  to->sizes[to->rank - 2] = b->sizes[b->rank - 2];
  to->sizes[to->rank - 1] = b->sizes[b->rank - 1];
  return ET_STATUS_OK;
}

static et_status resize(et_kernel_context *context, const et_system_form *form,
                        const et_view *columns, et_tensor *result,
                        et_system *system) {
  const et_view shape = form->is_left ? *columns : et_view_transpose(columns);
  ET_RETURN_IF_ERROR(et_tensor_resize(result, shape.sizes,
                                      shape.rank - (form->is_vector ? 1 : 0),
                                      context->error));
  system->result = columns_of(result, form);
  system->count = et_batch_count(&system->result, 2);
  return ET_STATUS_OK;
}

et_status et_system_plan(et_kernel_context *context, const et_system_form *form,
                         const et_tensor *matrices, const et_tensor *known,
                         et_tensor *result, et_system *system) {
  ET_RETURN_IF_ERROR(et_matrices_check(context, form->what, matrices, true));
  ET_CHECK(context, form->is_vector || known->rank >= 2,
           "%s: right-hand side has %d dimensions; pass at least 2", form->what,
           (int)known->rank);
  const et_view squares = et_view_of(matrices);
  const et_view columns = columns_of(known, form);
  const int32_t rows = columns.sizes[columns.rank - 2];
  ET_CHECK(context, rows == squares.sizes[squares.rank - 1],
           "%s: columns of %d elements do not match matrices of %d rows",
           form->what, (int)rows, (int)squares.sizes[squares.rank - 1]);
  et_view all = columns;
  ET_RETURN_IF_ERROR(broadcast(context, form->what, &squares, &columns, &all));
  system->matrices = squares;
  system->known = columns;
  return resize(context, form, &all, result, system);
}

et_view et_system_piece(const et_system *system, const et_view *view,
                        size_t inner, size_t index) {
  int32_t sizes[ET_MAX_RANK];
  const size_t batch = system->result.rank - 2;
  for (size_t d = 0; d < batch; d++) {
    sizes[d] = system->result.sizes[d];
  }
  for (size_t d = 0; d < inner; d++) {
    sizes[batch + d] = view->sizes[view->rank - inner + d];
  }
  et_view expanded = *view;
  (void)et_view_expand(view, sizes, batch + inner, &expanded);
  return et_batch_at(&expanded, inner, index);
}

void et_system_solve(const et_system *system, size_t index, et_panel_fn fn,
                     const void *state, double *panel) {
  const et_view known = et_system_piece(system, &system->known, 2, index);
  const et_view result = et_batch_at(&system->result, 2, index);
  et_columns_run(&known, &result, fn, state, panel);
}
