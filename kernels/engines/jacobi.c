#include "kernels/engines/linear_algebra.h"

#include <float.h>
#include <math.h>

/* Twelve sweeps are enough for nearly all matrices. */
#define SWEEPS 60

typedef struct rotation {
  double cosine;
  double sine;
} rotation;

/* Returns the rotation that diagonalizes [[p, between], [between, q]], with the
 * smaller of the two possible angles. */
static rotation rotation_of(double p, double q, double between) {
  const double theta = (q - p) / (2.0 * between);
  const double tangent =
      copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
  const double cosine = 1.0 / sqrt(tangent * tangent + 1.0);
  const rotation r = {cosine, tangent * cosine};
  return r;
}

/* Sets p, q = cosine * p - sine * q, sine * p + cosine * q. Elements are `step`
 * apart. */
static void rotate(rotation r, double *p, double *q, size_t count,
                   size_t step) {
  for (size_t i = 0; i < count * step; i += step) {
    const double a = p[i];
    const double b = q[i];
    p[i] = r.cosine * a - r.sine * b;
    q[i] = r.sine * a + r.cosine * b;
  }
}

static void rotate_rows(rotation r, et_matrix *m, size_t p, size_t q) {
  if (m->at != NULL) {
    rotate(r, et_matrix_row(m, p), et_matrix_row(m, q), m->columns, 1);
  }
}

/* Rotates rows and columns p and q so that element (p, q) becomes 0. Returns
 * false if it is already negligible. */
static bool zero_element(et_matrix *m, et_matrix *vectors, size_t p, size_t q) {
  const double pp = et_matrix_row(m, p)[p];
  const double qq = et_matrix_row(m, q)[q];
  const double between = et_matrix_row(m, p)[q];
  if (fabs(between) <= DBL_EPSILON / 4) {
    return false;
  }
  const rotation r = rotation_of(pp, qq, between);
  rotate_rows(r, m, p, q);
  rotate(r, m->at + p, m->at + q, m->rows, m->columns);
  et_matrix_row(m, p)[q] = 0.0;
  et_matrix_row(m, q)[p] = 0.0;
  rotate_rows(r, vectors, p, q);
  return true;
}

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += a[i] * b[i];
  }
  return sum;
}

/* Rotates rows p and q so that they become orthogonal. Returns false if they
 * already are. */
static bool orthogonalize_pair(et_matrix *m, et_matrix *vectors, size_t p,
                               size_t q) {
  const double *const a = et_matrix_row(m, p);
  const double *const b = et_matrix_row(m, q);
  const double pp = dot(a, a, m->columns);
  const double qq = dot(b, b, m->columns);
  const double between = dot(a, b, m->columns);
  const double error = DBL_EPSILON * (double)(4 + m->columns);
  if (fabs(between) <= fmax(DBL_MIN, error * sqrt(pp) * sqrt(qq))) {
    return false;
  }
  const rotation r = rotation_of(pp, qq, between);
  rotate_rows(r, m, p, q);
  rotate_rows(r, vectors, p, q);
  return true;
}

typedef bool (*pair_fn)(et_matrix *m, et_matrix *vectors, size_t p, size_t q);

/* Processes all pairs until none changes. Returns false if SWEEPS passes do not
 * suffice. */
static bool sweep_pairs(et_matrix *m, et_matrix *vectors,
                        pair_fn process_pair) {
  bool changed = true;
  for (int sweep = 0; changed && sweep < SWEEPS; sweep++) {
    changed = false;
    for (size_t p = 0; p + 1 < m->rows; p++) {
      for (size_t q = p + 1; q < m->rows; q++) {
        changed = process_pair(m, vectors, p, q) || changed;
      }
    }
  }
  return !changed;
}

bool et_jacobi_diagonalize(et_matrix *symmetric, et_matrix *vectors) {
  return sweep_pairs(symmetric, vectors, zero_element);
}

bool et_jacobi_orthogonalize(et_matrix *rows, et_matrix *vectors) {
  return sweep_pairs(rows, vectors, orthogonalize_pair);
}
