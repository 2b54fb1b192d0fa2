/* LU factorization with partial pivoting. */
#ifndef ET_KERNELS_ENGINES_LU_H_
#define ET_KERNELS_ENGINES_LU_H_

#include "kernels/engines/matrices.h"

typedef struct et_lu {
  et_matrix factors;
  int32_t *pivots;
  bool transposed; /* solve with the transposed matrix */
} et_lu;

/* et_lu_in places the factors of a rows x columns matrix in ET_FACTORS_SCRATCH
 * bytes. et_lu_load also copies the matrix there. et_lu_panel returns the
 * memory for right-hand sides. */
et_lu et_lu_in(void *scratch, size_t rows, size_t columns);
et_lu et_lu_load(const et_view *matrix, void *scratch);
double *et_lu_panel(const et_lu *lu);

/* Replaces the matrix by its factors: U on and above the diagonal, L below it,
 * with a unit diagonal. Pivot k is the row, counted from 1, that row k was
 * exchanged with; there are min(rows, columns). Returns the index, from 1, of
 * the first zero on the diagonal of U, or 0. */
int32_t et_lu_factor(et_lu *lu);

/* An et_panel_fn that solves a system. Its state is an et_lu. */
void et_lu_solve(const void *lu, et_panel *panel);

#endif /* ET_KERNELS_ENGINES_LU_H_ */
