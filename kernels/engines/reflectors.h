/* Householder reflectors in LAPACK's format. Reflector k is I - tau[k] * v *
 * v^T. v is 0 above row k and 1 in row k; below, it is stored in column k of a
 * matrix. */
#ifndef ET_KERNELS_ENGINES_REFLECTORS_H_
#define ET_KERNELS_ENGINES_REFLECTORS_H_

#include "kernels/engines/matrices.h"

typedef struct et_reflectors {
  et_matrix vectors; /* stored below its diagonal */
  const double *tau;
  size_t count;
  bool transposed; /* apply the transposed product */
} et_reflectors;

/* QR factorization. Replaces `matrix` by R, with the reflectors below the
 * diagonal. `tau` has min(rows, columns) elements. */
void et_reflectors_factor(et_matrix *matrix, double *tau);

/* An et_panel_fn that multiplies a panel by the product of the reflectors, the
 * first leftmost. Its state is an et_reflectors. */
void et_reflectors_apply(const void *reflectors, et_panel *panel);

#endif /* ET_KERNELS_ENGINES_REFLECTORS_H_ */
