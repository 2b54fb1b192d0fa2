/* Jacobi rotations: diagonalize a symmetric matrix, or orthogonalize the rows
 * of a matrix (one-sided Jacobi). */
#ifndef ET_KERNELS_ENGINES_JACOBI_H_
#define ET_KERNELS_ENGINES_JACOBI_H_

#include "kernels/engines/matrices.h"

/* Rotates a symmetric matrix, whose largest element is 1, until it is diagonal.
 * Applies the rotations to the rows of `vectors` too, unless its memory is
 * NULL. Returns false if the iteration does not converge. */
bool et_jacobi_diagonalise(et_matrix *symmetric, et_matrix *vectors);

/* Rotates the rows of a matrix, whose largest element is 1, until they are
 * mutually orthogonal. Applies the rotations to the rows of `vectors` too,
 * unless its memory is NULL. Returns false if the iteration does not
 * converge. */
bool et_jacobi_orthogonalise(et_matrix *rows, et_matrix *vectors);

#endif /* ET_KERNELS_ENGINES_JACOBI_H_ */
