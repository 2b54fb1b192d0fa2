#include "kernels/engines/linear_algebra.h"

#include <math.h>

et_lu et_lu_in(void *scratch, size_t rows, size_t columns) {
  double *const at = scratch;
  double *const after = at + rows * columns + rows * ET_PANEL_COLUMNS;
  const et_lu lu = {
      {at, rows, columns}, (int32_t *)(void *)after, .transposed = false};
  return lu;
}

et_lu et_lu_load(const et_view *matrix, void *scratch) {
  et_lu lu =
      et_lu_in(scratch, (size_t)matrix->sizes[0], (size_t)matrix->sizes[1]);
  lu.factors = et_matrix_load(matrix, scratch);
  return lu;
}

double *et_lu_panel(const et_lu *lu) {
  return lu->factors.at + lu->factors.rows * lu->factors.columns;
}

/* Returns the row, from `k` on, with the largest absolute value in column
 * `k`. */
static size_t pivot_of(const et_matrix *m, size_t k) {
  size_t best = k;
  for (size_t i = k + 1; i < m->rows; i++) {
    if (fabs(et_matrix_row(m, i)[k]) > fabs(et_matrix_row(m, best)[k])) {
      best = i;
    }
  }
  return best;
}

/* Subtracts factor * pivot from the row, after column `k`. Column `k` stores
 * the factor. */
static void eliminate(const double *restrict pivot, double *restrict row,
                      size_t k, size_t columns) {
  const double factor = row[k] / pivot[k];
  row[k] = factor;
  for (size_t j = k + 1; j < columns; j++) {
    row[j] -= factor * pivot[j];
  }
}

int32_t et_lu_factor(et_lu *lu) {
  et_matrix *const m = &lu->factors;
  int32_t zero = 0;
  for (size_t k = 0; k < m->rows && k < m->columns; k++) {
    const size_t pivot = pivot_of(m, k);
    const double *const row = et_matrix_row(m, k);
    lu->pivots[k] = (int32_t)pivot + 1;
    et_matrix_exchange(m, k, pivot);
    if (row[k] == 0.0) {
      zero = zero == 0 ? (int32_t)k + 1 : zero;
      continue;
    }
    for (size_t i = k + 1; i < m->rows; i++) {
      eliminate(row, et_matrix_row(m, i), k, m->columns);
    }
  }
  return zero;
}

static void exchange_rows(const et_lu *lu, size_t k, et_panel *panel) {
  const et_matrix rows = {panel[0], lu->factors.rows, ET_PANEL_COLUMNS};
  et_matrix_exchange(&rows, k, (size_t)lu->pivots[k] - 1);
}

static void solve(const et_lu *lu, et_panel *panel) {
  const et_triangle lower = et_triangle_of(&lu->factors, false, true);
  const et_triangle upper = et_triangle_of(&lu->factors, true, false);
  for (size_t k = 0; k < lu->factors.rows; k++) {
    exchange_rows(lu, k, panel);
  }
  et_triangle_solve(&lower, panel);
  et_triangle_solve(&upper, panel);
}

static void solve_transposed(const et_lu *lu, et_panel *panel) {
  et_triangle lower = et_triangle_of(&lu->factors, false, true);
  et_triangle upper = et_triangle_of(&lu->factors, true, false);
  lower = et_triangle_transpose(&lower);
  upper = et_triangle_transpose(&upper);
  et_triangle_solve(&upper, panel);
  et_triangle_solve(&lower, panel);
  for (size_t k = lu->factors.rows; k-- > 0;) {
    exchange_rows(lu, k, panel);
  }
}

void et_lu_solve(const void *lu, et_panel *panel) {
  const et_lu *factors = lu;
  if (factors->transposed) {
    solve_transposed(factors, panel);
  } else {
    solve(factors, panel);
  }
}
