#include "kernels/engines/linear_algebra.h"

et_triangle et_triangle_of(const et_matrix *matrix, bool upper, bool unit) {
  const et_triangle t = {matrix->at, matrix->columns, matrix->columns,
                         1,          upper,           unit};
  return t;
}

et_triangle et_triangle_transpose(const et_triangle *triangle) {
  et_triangle t = *triangle;
  t.row = triangle->column;
  t.column = triangle->row;
  t.upper = !triangle->upper;
  return t;
}

/* to -= from * factor */
static void subtract(const double *restrict from, double factor,
                     double *restrict to) {
  for (size_t lane = 0; lane < ET_PANEL_COLUMNS; lane++) {
    to[lane] -= from[lane] * factor;
  }
}

/* Solves row `i`. The rows that it depends on have already been solved. */
static void solve_row(const et_triangle *t, size_t i, et_panel *panel) {
  const size_t first = t->upper ? i + 1 : 0;
  const size_t end = t->upper ? t->size : i;
  const double *row = t->at + i * t->row;
  for (size_t j = first; j < end; j++) {
    subtract(panel[j], row[j * t->column], panel[i]);
  }
  for (size_t lane = 0; lane < ET_PANEL_COLUMNS && !t->unit; lane++) {
    panel[i][lane] /= row[i * t->column];
  }
}

void et_triangle_solve(const et_triangle *triangle, et_panel *panel) {
  for (size_t k = 0; k < triangle->size; k++) {
    solve_row(triangle, triangle->upper ? triangle->size - 1 - k : k, panel);
  }
}
