/* Householder's reflections, as LAPACK stores them: number k is I - tau[k] v v^T,
 * v being 0 above row k, 1 in it, and below it what column k of a matrix has. */
#ifndef ET_KERNELS_ENGINES_REFLECTORS_H_
#define ET_KERNELS_ENGINES_REFLECTORS_H_

#include "kernels/engines/matrices.h"

typedef struct et_reflectors {
  et_matrix vectors; /* below its diagonal */
  const double *tau;
  size_t count;
  bool transposed; /* whether their product is applied transposed */
} et_reflectors;

/* Sets `matrix` to the upper triangular one that reflections make of it, below
 * the diagonal what they are, and `tau`, one for each row or column, whichever are
 * fewer. */
void et_reflectors_factor(et_matrix *matrix, double *tau);

/* An et_panel_fn whose state is an et_reflectors: their product, the first being
 * leftmost, times the panel. */
void et_reflectors_apply(const void *reflectors, et_panel *panel);

#endif /* ET_KERNELS_ENGINES_REFLECTORS_H_ */
