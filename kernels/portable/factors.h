/* Operators that factorize matrices or use the factors. */
#ifndef ET_KERNELS_PORTABLE_FACTORS_H_
#define ET_KERNELS_PORTABLE_FACTORS_H_

#include "executorch/kernel.h"
#include "kernels/engines/linear_algebra.h"

/* ---- Factors and pivots ---- */

/* Requests scratch for calls whose first argument is the matrix. */
et_status et_factors_prepare(et_prepare_context *context, et_value *const *args,
                             void **out_state);

/* Returns INVALID_ARGUMENT if `check` is true and `zero` is not 0. `zero` is
 * the position, from 1, of a zero on the diagonal of U. */
et_status et_factors_check(et_kernel_context *context, const char *what,
                           bool check, size_t index, int32_t zero);

/* Returns INVALID_ARGUMENT if there are too few pivots for the factors.
 * Extra pivots are ignored, as in PyTorch. */
et_status et_pivots_check(et_kernel_context *context, const char *what,
                          const et_tensor *factors, const et_tensor *pivots);

/* Store pivots in an int32 view, or read the first `count` pivots, each in [1,
 * limit]. */
void et_pivots_store(const int32_t *pivots, const et_view *to);
et_status et_pivots_load(et_kernel_context *context, const char *what,
                         const et_view *from, size_t count, int32_t limit,
                         int32_t *pivots);

/* Systems of linear equations, matrix * result = known, with both operands
 * broadcast to a common batch. */
typedef struct et_system {
  et_view matrices;
  et_view known; /* right-hand sides, with as many elements as the matrix has
                  * rows */
  et_view result;
  size_t count;
} et_system;

/* The form of the system: whether the matrix is on the left, and whether
 * `known` holds vectors. */
typedef struct et_system_form {
  const char *what;
  bool is_left;
  bool is_vector;
} et_system_form;

/* Checks the operands and resizes `result`. */
et_status et_system_plan(et_kernel_context *context, const et_system_form *form,
                         const et_tensor *matrices, const et_tensor *known,
                         et_tensor *result, et_system *system);

/* Returns item `index` of `view`, whose batch is broadcast to that of the
 * system. */
et_view et_system_piece(const et_system *system, const et_view *view,
                        size_t inner, size_t index);

/* Solves system `index`. `panel` has as many rows as the matrix. */
void et_system_solve(const et_system *system, size_t index, et_panel_fn fn,
                     const void *state, double *panel);

/* ---- Householder reflectors ---- */

/* A batch: matrices of vectors, and vectors of scales. */
typedef struct et_householder {
  et_view vectors;
  et_view scales;
} et_householder;

et_status et_householder_plan(et_kernel_context *context, const char *what,
                              const et_tensor *vectors, const et_tensor *scales,
                              et_householder *householder);

/* et_householder_load loads item `index` into ET_FACTORS_SCRATCH bytes.
 * et_householder_panel returns the memory there for the columns to
 * transform. */
et_reflectors et_householder_load(const et_householder *householder,
                                  size_t index, void *scratch);
double *et_householder_panel(const et_reflectors *reflectors);

#endif /* ET_KERNELS_PORTABLE_FACTORS_H_ */
