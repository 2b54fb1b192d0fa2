/* Matrix exponential. */
#ifndef ET_KERNELS_ENGINES_EXPONENTIAL_H_
#define ET_KERNELS_ENGINES_EXPONENTIAL_H_

#include "kernels/engines/matrices.h"

/* Replaces the square matrix by its exponential, or by NaN if an element is not
 * finite. The matrix is at the start of ET_EXPONENTIAL_SCRATCH bytes. */
void et_exponential(et_matrix *matrix);

#endif /* ET_KERNELS_ENGINES_EXPONENTIAL_H_ */
