/* What the operators that make and use factors of matrices have in common. */
#ifndef ET_KERNELS_PORTABLE_FACTORS_H_
#define ET_KERNELS_PORTABLE_FACTORS_H_

#include "executorch/kernel.h"
#include "kernels/engines/lu.h"
#include "kernels/engines/matrices.h"

/* For calls whose first argument is the matrix. */
et_status et_factors_prepare(et_prepare_context *context, et_value *const *args,
                             void **out_state);

/* INVALID_ARGUMENT, if `check` asks for it, where `zero` is the place, counted from
 * 1, of a zero in the diagonal of the upper factor. */
et_status et_factors_check(et_kernel_context *context, const char *what,
                           bool check, size_t index, int32_t zero);

/* INVALID_ARGUMENT unless each matrix has as many pivots as factors need, or more, which
 * PyTorch ignores. */
et_status et_pivots_check(et_kernel_context *context, const char *what,
                          const et_tensor *factors, const et_tensor *pivots);

/* Stores pivots in an int32 view; reads the first `count`, each in [1, limit]. */
void et_pivots_store(const int32_t *pivots, const et_view *to);
et_status et_pivots_load(et_kernel_context *context, const char *what,
                         const et_view *from, size_t count, int32_t limit,
                         int32_t *pivots);

/* Systems of equations, each matrix * result = known, with the batch to which both
 * operands are broadcast. */
typedef struct et_system {
  et_view matrices;
  et_view known; /* columns of as many elements as matrices have rows */
  et_view result;
  size_t count;
} et_system;

/* What the operands are: whether the matrix is the first factor or the second, and
 * whether `known` is of vectors. */
typedef struct et_system_form {
  const char *what;
  bool is_left;
  bool is_vector;
} et_system_form;

/* Checks the operands and resizes `result`. */
et_status et_system_plan(et_kernel_context *context, const et_system_form *form,
                         const et_tensor *matrices, const et_tensor *known,
                         et_tensor *result, et_system *system);

/* Piece number `index` of `view`, whose batch is broadcast to that of the system. */
et_view et_system_piece(const et_system *system, const et_view *view,
                        size_t inner, size_t index);

/* Solves system number `index`; `panel` is of as many rows as its matrix. */
void et_system_solve(const et_system *system, size_t index, et_panel_fn fn,
                     const void *state, double *panel);

#endif /* ET_KERNELS_PORTABLE_FACTORS_H_ */
