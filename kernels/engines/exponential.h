/* The exponential of a matrix. */
#ifndef ET_KERNELS_ENGINES_EXPONENTIAL_H_
#define ET_KERNELS_ENGINES_EXPONENTIAL_H_

#include "kernels/engines/matrices.h"

/* Sets the square matrix, which lies at the head of ET_EXPONENTIAL_SCRATCH bytes, to
 * its exponential; to NaN where an element is not finite. */
void et_exponential(et_matrix *matrix);

#endif /* ET_KERNELS_ENGINES_EXPONENTIAL_H_ */
