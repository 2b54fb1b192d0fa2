/* Jacobi's rotations, which make rows of a matrix orthogonal or a symmetric matrix
 * diagonal. */
#ifndef ET_KERNELS_ENGINES_JACOBI_H_
#define ET_KERNELS_ENGINES_JACOBI_H_

#include "kernels/engines/matrices.h"

/* Rotates the symmetric matrix, whose largest element is 1, until it is diagonal, and rows of `vectors`, unless
 * their memory is NULL, with it. False when that does not come to an end. */
bool et_jacobi_diagonalise(et_matrix *symmetric, et_matrix *vectors);

/* Rotates rows, the largest element being 1, and those of `vectors` unless their memory is NULL, until the rows
 * are orthogonal to each other. False when that does not come to an end. */
bool et_jacobi_orthogonalise(et_matrix *rows, et_matrix *vectors);

#endif /* ET_KERNELS_ENGINES_JACOBI_H_ */
