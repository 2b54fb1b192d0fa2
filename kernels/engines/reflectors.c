#include "kernels/engines/linear_algebra.h"

#include <math.h>

/* Returns the 2-norm of column `k` from row `k` on. Scales the elements,
 * because their squares can overflow or underflow. */
static double length_of(const et_matrix *m, size_t k) {
  double largest = 0.0;
  for (size_t i = k; i < m->rows; i++) {
    largest = fmax(largest, fabs(et_matrix_row(m, i)[k]));
  }
  double sum = 0.0;
  for (size_t i = k; i < m->rows && largest > 0.0; i++) {
    const double scaled = et_matrix_row(m, i)[k] / largest;
    sum += scaled * scaled;
  }
  return largest * sqrt(sum);
}

static bool is_reduced(const et_matrix *m, size_t k) {
  for (size_t i = k + 1; i < m->rows; i++) {
    if (et_matrix_row(m, i)[k] != 0.0) {
      return false;
    }
  }
  return true;
}

/* Stores the reflector of column `k` below the diagonal and the new element on
 * it. Returns tau. */
static double reflect(et_matrix *m, size_t k) {
  double *const diagonal = et_matrix_row(m, k) + k;
  if (is_reduced(m, k)) {
    return 0.0;
  }
  const double reflected = -copysign(length_of(m, k), *diagonal);
  const double scale = *diagonal - reflected;
  const double tau = -scale / reflected;
  for (size_t i = k + 1; i < m->rows; i++) {
    et_matrix_row(m, i)[k] /= scale;
  }
  *diagonal = reflected;
  return tau;
}

/* Applies reflector `k` to column `j` of the same matrix. */
static void reflect_column(et_matrix *m, size_t k, size_t j, double tau) {
  double sum = et_matrix_row(m, k)[j];
  for (size_t i = k + 1; i < m->rows; i++) {
    sum += et_matrix_row(m, i)[k] * et_matrix_row(m, i)[j];
  }
  et_matrix_row(m, k)[j] -= tau * sum;
  for (size_t i = k + 1; i < m->rows; i++) {
    et_matrix_row(m, i)[j] -= tau * sum * et_matrix_row(m, i)[k];
  }
}

void et_reflectors_factor(et_matrix *matrix, double *tau) {
  for (size_t k = 0; k < matrix->rows && k < matrix->columns; k++) {
    tau[k] = reflect(matrix, k);
    for (size_t j = k + 1; j < matrix->columns; j++) {
      reflect_column(matrix, k, j, tau[k]);
    }
  }
}

static double element_of(const et_matrix *vectors, size_t i, size_t k) {
  return i == k ? 1.0 : et_matrix_row(vectors, i)[k];
}

static void apply(const et_reflectors *r, size_t k, et_panel *panel) {
  et_panel sums = {0.0};
  for (size_t i = k; i < r->vectors.rows; i++) {
    const double v = element_of(&r->vectors, i, k);
    for (size_t lane = 0; lane < ET_PANEL_COLUMNS; lane++) {
      sums[lane] += v * panel[i][lane];
    }
  }
  for (size_t i = k; i < r->vectors.rows; i++) {
    const double v = r->tau[k] * element_of(&r->vectors, i, k);
    for (size_t lane = 0; lane < ET_PANEL_COLUMNS; lane++) {
      panel[i][lane] -= v * sums[lane];
    }
  }
}

void et_reflectors_apply(const void *reflectors, et_panel *panel) {
  const et_reflectors *r = reflectors;
  for (size_t k = 0; k < r->count; k++) {
    apply(r, r->transposed ? k : r->count - 1 - k, panel);
  }
}
