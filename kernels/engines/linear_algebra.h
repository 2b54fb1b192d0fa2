/* Linear algebra on batches of matrices, in double, in memory that the
 * caller provides. */
#ifndef ET_KERNELS_ENGINES_LINEAR_ALGEBRA_H_
#define ET_KERNELS_ENGINES_LINEAR_ALGEBRA_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/scratch.h"
#include "executorch/kernels/view.h"

/* ---- Matrices and column panels ---- */

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

/* Returns the number of items in a batch of items with `inner` dimensions. */
size_t et_batch_count(const et_view *view, size_t inner);

/* Returns item `index` of a batch: the last `inner` dimensions of `view`. */
et_view et_batch_at(const et_view *view, size_t inner, size_t index);

/* Resizes `out` to the batch dimensions of `like` (all except its last `inner`
 * ones), followed by the `count` sizes in `sizes`. */
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

/* ---- Triangular solve ---- */

/* A triangle of a square double matrix. Strides are in elements. Elements
 * outside the triangle are not read. If `unit` is true, neither is the
 * diagonal, which is 1. */
typedef struct et_triangle {
  const double *at;
  size_t size;
  size_t row;    /* stride between rows */
  size_t column; /* stride between columns */
  bool upper;
  bool unit;
} et_triangle;

/* Returns a triangle of the first `columns` rows of a matrix. */
et_triangle et_triangle_of(const et_matrix *matrix, bool upper, bool unit);

et_triangle et_triangle_transpose(const et_triangle *triangle);

/* Replaces each column x of `panel` with the solution y of triangle * y = x. */
void et_triangle_solve(const et_triangle *triangle, et_panel *panel);

/* ---- LU factorization with partial pivoting ---- */

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

/* Replaces the matrix with its factors: U on and above the diagonal, and L with
 * a unit diagonal below it. Pivot k is the row, counted from 1, that row k was
 * exchanged with; there are min(rows, columns). Returns the index, from 1, of
 * the first zero on the diagonal of U, or 0. */
int32_t et_lu_factor(et_lu *lu);

/* An et_panel_fn that solves a system. Its state is an et_lu. */
void et_lu_solve(const void *lu, et_panel *panel);

/* ---- Householder reflectors ---- */

/* LAPACK's format. Reflector k is I - tau[k] * v * v^T. v is 0 above row k and 1
 * in row k; below, it is stored in column k of a matrix. */
typedef struct et_reflectors {
  et_matrix vectors; /* stored below its diagonal */
  const double *tau;
  size_t count;
  bool transposed; /* apply the transposed product */
} et_reflectors;

/* QR factorization. Replaces `matrix` with R, and stores the reflectors below
 * the diagonal. `tau` has min(rows, columns) elements. */
void et_reflectors_factor(et_matrix *matrix, double *tau);

/* An et_panel_fn that multiplies a panel by the product of the reflectors. The
 * first reflector is the leftmost factor. Its state is an et_reflectors. */
void et_reflectors_apply(const void *reflectors, et_panel *panel);

/* ---- Jacobi rotations ---- */

/* Rotates a symmetric matrix, whose largest element is 1, until it is diagonal.
 * Applies the rotations to the rows of `vectors` too, unless its memory is
 * NULL. Returns false if the iteration does not converge. */
bool et_jacobi_diagonalize(et_matrix *symmetric, et_matrix *vectors);

/* Rotates the rows of a matrix, whose largest element is 1, until they are
 * mutually orthogonal. Applies the rotations to the rows of `vectors` too,
 * unless its memory is NULL. Returns false if the iteration does not
 * converge. */
bool et_jacobi_orthogonalize(et_matrix *rows, et_matrix *vectors);

/* ---- Matrix exponential ---- */

/* Replaces the square matrix with its exponential, or with NaN if an element is
 * not finite. The matrix is at the start of ET_EXPONENTIAL_SCRATCH bytes. */
void et_exponential(et_matrix *matrix);

#endif /* ET_KERNELS_ENGINES_LINEAR_ALGEBRA_H_ */
