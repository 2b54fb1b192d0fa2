/* Linear algebra on batches: matrices and column panels in double, in memory
 * that the caller provides. */
#ifndef ET_KERNELS_ENGINES_MATRICES_H_
#define ET_KERNELS_ENGINES_MATRICES_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/scratch.h"
#include "executorch/kernels/view.h"

/* A contiguous row-major matrix. */
typedef struct et_matrix {
  double *at;
  size_t rows;
  size_t columns;
} et_matrix;

/* A row of a column panel. Loops over it vectorize. */
typedef double et_panel[ET_PANEL_COLUMNS];

static inline double *et_matrix_row(const et_matrix *m, size_t i) {
  return m->at + i * m->columns;
}

/* Returns the size of a dimension counted from the end; 1 is the last. */
static inline size_t et_size_from_end(const et_tensor *tensor,
                                      size_t from_end) {
  return (size_t)tensor->sizes[tensor->rank - from_end];
}

/* Returns INVALID_ARGUMENT unless `tensor` has at least two dimensions. With
 * `square`, the last two must be equal. */
et_status et_matrices_check(et_kernel_context *context, const char *what,
                            const et_tensor *tensor, bool square);

/* Returns the number of items in a batch, whose items have `inner`
 * dimensions. */
size_t et_batch_count(const et_view *view, size_t inner);

/* Returns item `index` of a batch: the `inner` last dimensions of `view`. */
et_view et_batch_at(const et_view *view, size_t inner, size_t index);

/* Resizes `out` to the batch dimensions of `like`, which are all but its last
 * `inner`, followed by `count` `sizes`. */
et_status et_batch_resize(et_kernel_context *context, const et_tensor *like,
                          size_t inner, const size_t *sizes, size_t count,
                          et_tensor *out);

/* Returns the view with its last two dimensions exchanged. */
et_view et_view_transpose(const et_view *view);

/* Load a two-dimensional view into a matrix at `memory`, or store a matrix. */
et_matrix et_matrix_load(const et_view *from, void *memory);
void et_matrix_store(const et_matrix *from, const et_view *to);

/* Load or store a one-dimensional view. */
void et_vector_load(const et_view *from, double *to);
void et_vector_store(const double *from, const et_view *to);

/* Set or get element `index`, in row-major order, of an int32 view. */
void et_int32_store(const et_view *to, size_t index, int32_t value);
int32_t et_int32_load(const et_view *from, size_t index);

/* Sets a square matrix to the identity, unless its memory is NULL. */
void et_matrix_set_unit(const et_matrix *m);

/* Exchanges rows `a` and `b`, unless the matrix's memory is NULL. */
void et_matrix_exchange(const et_matrix *m, size_t a, size_t b);

/* Sorts `keys`, and the rows of both matrices in the same order. Either matrix
 * may have NULL memory. */
void et_rows_sort(double *keys, size_t count, bool descending,
                  const et_matrix *a, const et_matrix *b);

/* Divides a matrix by its largest absolute value, and returns that value: 1 for
 * a zero matrix, infinity if an element is not finite. */
double et_matrix_scale(et_matrix *m);

/* Transforms each column of a panel. */
typedef void (*et_panel_fn)(const void *state, et_panel *panel);

/* Applies `fn` to the columns of `from`, and writes them to `to`. NULL means
 * the identity matrix. Both views have two dimensions. `memory` holds one panel
 * of the same number of rows. */
void et_columns_run(const et_view *from, const et_view *to, et_panel_fn fn,
                    const void *state, double *memory);

#endif /* ET_KERNELS_ENGINES_MATRICES_H_ */
