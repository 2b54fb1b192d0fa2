/* Factors of a matrix by Gaussian elimination with exchanges of rows. */
#ifndef ET_KERNELS_ENGINES_LU_H_
#define ET_KERNELS_ENGINES_LU_H_

#include "kernels/engines/matrices.h"

typedef struct et_lu {
  et_matrix factors;
  int32_t *pivots;
  bool transposed; /* whether systems are solved with the matrix transposed */
} et_lu;

/* For a matrix of that size, in memory of ET_FACTORS_SCRATCH; and what there is for
 * the columns of a system. */
et_lu et_lu_in(void *scratch, size_t rows, size_t columns);
et_lu et_lu_load(const et_view *matrix, void *scratch);
double *et_lu_panel(const et_lu *lu);

/* Sets the factors, at first the matrix itself, to the upper one with its diagonal
 * and below it the lower one, whose diagonal is 1; the pivots, one for each row or
 * column, whichever are fewer, to which row, counted from 1, each was exchanged with
 * in turn. The number, counted from 1, of the first element of the diagonal that is
 * zero; 0 where there is none. */
int32_t et_lu_factor(et_lu *lu);

/* An et_panel_fn whose state is an et_lu: the solutions of a system. */
void et_lu_solve(const void *lu, et_panel *panel);

#endif /* ET_KERNELS_ENGINES_LU_H_ */
