/* Systems of equations with a triangular matrix. */
#ifndef ET_KERNELS_ENGINES_TRIANGLE_H_
#define ET_KERNELS_ENGINES_TRIANGLE_H_

#include "kernels/engines/matrices.h"

/* A triangle of a square matrix in double; strides in elements. What is not in
 * it is not read, nor its diagonal when that is `unit`. */
typedef struct et_triangle {
  const double *at;
  size_t size;
  size_t row;    /* stride from a row to the next */
  size_t column; /* stride from a column to the next */
  bool upper;
  bool unit;
} et_triangle;

/* Of the first rows of a matrix, as many as it has columns. */
et_triangle et_triangle_of(const et_matrix *matrix, bool upper, bool unit);

et_triangle et_triangle_transpose(const et_triangle *triangle);

/* Sets each column x of `panel` to the solution of triangle * solution = x. */
void et_triangle_solve(const et_triangle *triangle, et_panel *panel);

#endif /* ET_KERNELS_ENGINES_TRIANGLE_H_ */
