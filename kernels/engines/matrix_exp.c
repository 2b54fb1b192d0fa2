#include "kernels/engines/linear_algebra.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Coefficients of the Pade approximant of degree 13. Accurate to double
 * precision for matrices whose 1-norm is at most LARGEST_NORM (Higham 2005,
 * scaling and squaring). */
static const double coefficients[14] = {64764752532480000.0,
                                        32382376266240000.0,
                                        7771770303897600.0,
                                        1187353796428800.0,
                                        129060195264000.0,
                                        10559470521600.0,
                                        670442572800.0,
                                        33522128640.0,
                                        1323241920.0,
                                        40840800.0,
                                        960960.0,
                                        16380.0,
                                        182.0,
                                        1.0};
#define LARGEST_NORM 5.371920351148152

enum { MATRIX, SQUARE, FOURTH, SIXTH, ODD, EVEN, SPARE };

/* Consecutive square matrices of `size` rows. */
typedef struct work {
  double *at;
  size_t size;
} work;

static double *matrix_of(const work *w, int which) {
  return w->at + (size_t)which * w->size * w->size;
}

/* to = a * b */
static void multiply(const work *w, int a, int b, int to) {
  double *const out = matrix_of(w, to);
  memset(out, 0, w->size * w->size * sizeof(double));
  for (size_t i = 0; i < w->size; i++) {
    for (size_t k = 0; k < w->size; k++) {
      const double factor = matrix_of(w, a)[i * w->size + k];
      const double *const row = matrix_of(w, b) + k * w->size;
      for (size_t j = 0; j < w->size; j++) {
        out[i * w->size + j] += factor * row[j];
      }
    }
  }
}

/* to += c[first] * M^6 + c[first - 2] * M^4 + c[first - 4] * M^2 */
static void add_powers(const work *w, int first, int to) {
  const size_t count = w->size * w->size;
  double *const out = matrix_of(w, to);
  for (size_t i = 0; i < count; i++) {
    out[i] += coefficients[first] * matrix_of(w, SIXTH)[i] +
              coefficients[first - 2] * matrix_of(w, FOURTH)[i] +
              coefficients[first - 4] * matrix_of(w, SQUARE)[i];
  }
}

/* to = M^6 * (powers with coefficients from `first`) + (powers with
 * coefficients from `first - 6`) + c[first - 12] * I, with powers as in
 * add_powers. */
static void make_polynomial(const work *w, int first, int to) {
  memset(matrix_of(w, SPARE), 0, w->size * w->size * sizeof(double));
  add_powers(w, first, SPARE);
  multiply(w, SIXTH, SPARE, to);
  add_powers(w, first - 6, to);
  for (size_t i = 0; i < w->size; i++) {
    matrix_of(w, to)[i * (w->size + 1)] += coefficients[first - 12];
  }
}

/* Returns the 1-norm: the maximum absolute column sum; infinity if an element
 * is not finite. */
static double norm_of(const et_matrix *m) {
  double largest = 0.0;
  for (size_t j = 0; j < m->columns; j++) {
    double sum = 0.0;
    for (size_t i = 0; i < m->rows; i++) {
      sum += fabs(et_matrix_row(m, i)[j]);
    }
    largest = sum <= DBL_MAX ? fmax(largest, sum) : INFINITY;
  }
  return largest;
}

/* Divides the matrix by a power of two, and returns the exponent. */
static int halve(const work *w, double norm) {
  const int halvings =
      norm > LARGEST_NORM ? (int)ceil(log2(norm / LARGEST_NORM)) : 0;
  for (size_t i = 0; i < w->size * w->size; i++) {
    w->at[i] = ldexp(w->at[i], -halvings);
  }
  return halvings;
}

/* Solves for up to ET_PANEL_COLUMNS columns of ODD, from `first`, into
 * MATRIX. */
static void solve_panel(const work *w, const et_lu *lu, size_t first) {
  et_panel *const panel = (et_panel *)(void *)et_lu_panel(lu);
  const size_t left = w->size - first;
  const size_t count = left < ET_PANEL_COLUMNS ? left : ET_PANEL_COLUMNS;
  memset(panel, 0, w->size * sizeof(*panel));
  for (size_t i = 0; i < w->size; i++) {
    memcpy(panel[i], matrix_of(w, ODD) + i * w->size + first,
           count * sizeof(double));
  }
  et_lu_solve(lu, panel);
  for (size_t i = 0; i < w->size; i++) {
    memcpy(matrix_of(w, MATRIX) + i * w->size + first, panel[i],
           count * sizeof(double));
  }
}

/* Sets MATRIX to (even - odd)^-1 * (even + odd). The LU factors use the memory
 * from SPARE on. */
static void divide(const work *w) {
  et_lu lu = et_lu_in(matrix_of(w, SPARE), w->size, w->size);
  for (size_t i = 0; i < w->size * w->size; i++) {
    const double odd = matrix_of(w, ODD)[i];
    const double even = matrix_of(w, EVEN)[i];
    lu.factors.at[i] = even - odd;
    matrix_of(w, ODD)[i] = even + odd;
  }
  (void)et_lu_factor(&lu);
  for (size_t first = 0; first < w->size; first += ET_PANEL_COLUMNS) {
    solve_panel(w, &lu, first);
  }
}

static void square_again(const work *w, int times) {
  for (int i = 0; i < times; i++) {
    multiply(w, MATRIX, MATRIX, SPARE);
    memcpy(w->at, matrix_of(w, SPARE), w->size * w->size * sizeof(double));
  }
}

void et_exponential(et_matrix *matrix) {
  const work w = {matrix->at, matrix->rows};
  const double norm = norm_of(matrix);
  const bool is_finite = norm <= DBL_MAX;
  for (size_t i = 0; i < w.size * w.size && !is_finite; i++) {
    w.at[i] = NAN;
  }
  const int halvings = is_finite ? halve(&w, norm) : 0;
  multiply(&w, MATRIX, MATRIX, SQUARE);
  multiply(&w, SQUARE, SQUARE, FOURTH);
  multiply(&w, SQUARE, FOURTH, SIXTH);
  make_polynomial(&w, 13, EVEN);
  multiply(&w, MATRIX, EVEN, ODD);
  make_polynomial(&w, 12, EVEN);
  divide(&w);
  square_again(&w, halvings);
}
