#include <float.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/linear_algebra.h"

/* Copies the lower triangle to the upper one, or the reverse. */
static void mirror(et_matrix *m, bool upper) {
  for (size_t i = 0; i < m->rows; i++) {
    for (size_t j = 0; j < i; j++) {
      double *const below = et_matrix_row(m, i) + j;
      double *const above = et_matrix_row(m, j) + i;
      *(upper ? below : above) = upper ? *above : *below;
    }
  }
}

/* Writes the eigenvectors to the rows of `vectors`, unless its memory is NULL.
 * Returns the eigenvalues, ascending, in the memory after it, or NULL if the
 * iteration does not converge. */
static double *decompose(et_matrix *matrix, bool upper, et_matrix *vectors) {
  const size_t size = matrix->rows;
  double *const values = matrix->at + 2 * size * size;
  mirror(matrix, upper);
  const double scale = et_matrix_scale(matrix);
  et_matrix_set_unit(vectors);
  if (!(scale <= DBL_MAX) || !et_jacobi_diagonalize(matrix, vectors)) {
    return NULL;
  }
  for (size_t i = 0; i < size; i++) {
    values[i] = et_matrix_row(matrix, i)[i] * scale;
  }
  const et_matrix none = {NULL, 0, 0};
  et_rows_sort(values, size, false, vectors, &none);
  return values;
}

typedef struct results {
  et_view values;
  et_view vectors; /* one per row */
  bool wants_vectors;
} results;

static et_status decompose_all(et_kernel_context *context, const et_view *from,
                               bool upper, const results *to) {
  for (size_t i = 0; i < et_batch_count(from, 2); i++) {
    const et_view source = et_batch_at(from, 2, i);
    const et_view values = et_batch_at(&to->values, 1, i);
    et_matrix matrix = et_matrix_load(&source, context->scratch.data);
    double *const after = matrix.at + matrix.rows * matrix.columns;
    et_matrix vectors = {to->wants_vectors ? after : NULL, matrix.rows,
                         matrix.columns};
    const double *found = decompose(&matrix, upper, &vectors);
    ET_CHECK(context, found != NULL,
             "_linalg_eigh: matrix %zu has elements that are not finite; pass "
             "finite values",
             i);
    et_vector_store(found, &values);
    if (to->wants_vectors) {
      const et_view target = et_batch_at(&to->vectors, 2, i);
      et_matrix_store(&vectors, &target);
    }
  }
  return ET_STATUS_OK;
}

static et_status resize(et_kernel_context *context, const et_tensor *a,
                        bool wants_vectors, et_tensor *values,
                        et_tensor *vectors) {
  const size_t size = et_size_from_end(a, 1);
  const int32_t none = 0;
  ET_RETURN_IF_ERROR(et_batch_resize(context, a, 2, &size, 1, values));
  return wants_vectors ? et_shape_resize_like(context, vectors, a)
                       : et_tensor_resize(vectors, &none, 1, context->error);
}

et_status et_op_linalg_eigh_eigenvalues(et_kernel_context *context,
                                        et_value **args) {
  const et_tensor *a = args[0]->u.as_tensor;
  et_tensor *values = args[3]->u.as_tensor;
  et_tensor *vectors = args[4]->u.as_tensor;
  const bool is_upper = et_arg_is_text(args[1], "U");
  results to = {.wants_vectors = args[2]->u.as_bool};
  ET_RETURN_IF_ERROR(et_matrices_check(context, "_linalg_eigh", a, true));
  ET_CHECK(context, is_upper || et_arg_is_text(args[1], "L"),
           "_linalg_eigh: UPLO is invalid; use L or U");
  ET_RETURN_IF_ERROR(resize(context, a, to.wants_vectors, values, vectors));
  const et_view from = et_view_of(a);
  to.values = et_view_of(values);
  if (to.wants_vectors) {
    const et_view columns = et_view_of(vectors);
    to.vectors = et_view_transpose(&columns);
  }
  return decompose_all(context, &from, is_upper, &to);
}

et_status et_op_linalg_eigh_prepare(et_prepare_context *context,
                                    et_value *const *args, void **out_state) {
  (void)out_state;
  context->scratch_bytes =
      ET_EIGENVECTORS_SCRATCH(et_size_from_end(args[0]->u.as_tensor, 1));
  return ET_STATUS_OK;
}
