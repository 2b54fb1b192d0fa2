/* Triangular solve. */
#ifndef ET_KERNELS_ENGINES_TRIANGLE_H_
#define ET_KERNELS_ENGINES_TRIANGLE_H_

#include "kernels/engines/matrices.h"

/* A triangle of a square double matrix. Strides are in elements. Elements
 * outside the triangle are not read. If `unit` is true, neither is the
 * diagonal, which is 1. */
typedef struct et_triangle {
  const double *at;
  size_t size;
  size_t row;    /* stride between rows */
  size_t column; /* stride between columns */
  bool upper;
  bool unit;
} et_triangle;

/* Returns a triangle of the first `columns` rows of a matrix. */
et_triangle et_triangle_of(const et_matrix *matrix, bool upper, bool unit);

et_triangle et_triangle_transpose(const et_triangle *triangle);

/* Replaces each column x of `panel` by the solution y of triangle * y = x. */
void et_triangle_solve(const et_triangle *triangle, et_panel *panel);

#endif /* ET_KERNELS_ENGINES_TRIANGLE_H_ */
