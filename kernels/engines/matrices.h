/* What linear algebra is computed in: matrices and columns of a batch, in double,
 * in memory of the caller's. */
#ifndef ET_KERNELS_ENGINES_MATRICES_H_
#define ET_KERNELS_ENGINES_MATRICES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/scratch.h"
#include "executorch/kernels/view.h"

/* Row after row, without gaps. */
typedef struct et_matrix {
  double *at;
  size_t rows;
  size_t columns;
} et_matrix;

/* Rows of so many columns side by side: a loop over them is one of vectors. */
typedef double et_panel[ET_PANEL_COLUMNS];

static inline double *et_matrix_row(const et_matrix *m, size_t i) {
  return m->at + i * m->columns;
}

/* The size of a dimension counted from the last, 1 being that. */
static inline size_t et_size_from_end(const et_tensor *tensor,
                                      size_t from_end) {
  return (size_t)tensor->sizes[tensor->rank - from_end];
}

/* INVALID_ARGUMENT unless `tensor` is one matrix or more, square where asked. */
et_status et_matrices_check(et_kernel_context *context, const char *what,
                            const et_tensor *tensor, bool square);

/* How many pieces of `inner` dimensions a view has. */
size_t et_batch_count(const et_view *view, size_t inner);

/* Piece number `index` of the `inner` last dimensions of `view`. */
et_view et_batch_at(const et_view *view, size_t inner, size_t index);

/* Resizes `out` to the batch of `like`, less its `inner` last dimensions, with
 * pieces of `count` `sizes`. */
et_status et_batch_resize(et_kernel_context *context, const et_tensor *like,
                          size_t inner, const size_t *sizes, size_t count,
                          et_tensor *out);

/* The view with its last two dimensions exchanged. */
et_view et_view_transpose(const et_view *view);

/* All elements of a view of two dimensions, into a matrix at `memory`. */
et_matrix et_matrix_load(const et_view *from, void *memory);
void et_matrix_store(const et_matrix *from, const et_view *to);

/* Elements of a view of one dimension. */
void et_vector_load(const et_view *from, double *to);
void et_vector_store(const double *from, const et_view *to);

/* Sets element number `index`, in row-major order, of an int32 view. */
void et_int32_store(const et_view *to, size_t index, int32_t value);
int32_t et_int32_load(const et_view *from, size_t index);

/* Sets a square matrix, unless its memory is NULL, to the unit matrix. */
void et_matrix_set_unit(const et_matrix *m);

/* Exchanges rows `a` and `b`. */
void et_matrix_exchange(const et_matrix *m, size_t a, size_t b);

/* Brings `keys` in ascending order, or descending, and with them the rows of both
 * matrices, of which either may have no memory. */
void et_rows_sort(double *keys, size_t count, bool descending,
                  const et_matrix *a, const et_matrix *b);

/* Divides a matrix by its largest element, which is returned: 1 for a matrix of
 * zeros, infinity where an element is not finite. */
double et_matrix_scale(et_matrix *m);

/* Changes every column of a panel. */
typedef void (*et_panel_fn)(const void *state, et_panel *panel);

/* Sets the columns of `to` to what `fn` makes of those of `from`, or of the unit
 * matrix for NULL; both have two dimensions. `memory` is of as many rows. */
void et_columns_run(const et_view *from, const et_view *to, et_panel_fn fn,
                    const void *state, double *memory);

#endif /* ET_KERNELS_ENGINES_MATRICES_H_ */
