#include <float.h>
#include <math.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/shape.h"
#include "kernels/engines/linear_algebra.h"

/* State for one matrix. `brief` holds the singular vectors of the matrix's
 * shorter side. The decomposition is a sum of outer products of left and right
 * vectors. */
typedef struct parts {
  et_matrix lines;   /* the matrix, transposed if it is tall, so that it has
                      * `brief.rows` rows */
  et_matrix brief;   /* singular vectors of the shorter side, one per row */
  et_matrix columns; /* the result of `lines`, one per column */
  double *values;
  double *tau;
  double *panel;
} parts;

static parts parts_in(void *scratch, size_t length, size_t count) {
  double *const at = scratch;
  const size_t area = length * count;
  parts p = {{at, count, length},
             {at + area, count, count},
             {at + 2 * area, length, count},
             at + 3 * area,
             at + 3 * area + count,
             at + 3 * area + 2 * count};
  return p;
}

static double length_of(const double *row, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += row[i] * row[i];
  }
  return sqrt(sum);
}

/* Runs one-sided Jacobi iterations. Sets `values` in descending order, the
 * vectors in `lines`, which are not normalized, and those in `brief`. Returns
 * false if it does not converge. */
static bool decompose(parts *p) {
  const double scale = et_matrix_scale(&p->lines);
  et_matrix_set_unit(&p->brief);
  if (!(scale <= DBL_MAX) || !et_jacobi_orthogonalize(&p->lines, &p->brief)) {
    return false;
  }
  for (size_t i = 0; i < p->lines.rows; i++) {
    p->values[i] =
        scale * length_of(et_matrix_row(&p->lines, i), p->lines.columns);
  }
  et_rows_sort(p->values, p->lines.rows, true, &p->lines, &p->brief);
  return true;
}

/* QR factorization of the vectors in `lines`. Its reflectors yield a complete
 * orthonormal basis even if singular values are 0. If a vector changes sign, so
 * does its counterpart in `brief`. */
static et_reflectors reflect(parts *p) {
  for (size_t i = 0; i < p->lines.rows; i++) {
    for (size_t j = 0; j < p->lines.columns; j++) {
      et_matrix_row(&p->columns, j)[i] = et_matrix_row(&p->lines, i)[j];
    }
  }
  et_reflectors_factor(&p->columns, p->tau);
  for (size_t i = 0; i < p->brief.rows; i++) {
    const double sign = et_matrix_row(&p->columns, i)[i] < 0.0 ? -1.0 : 1.0;
    for (size_t j = 0; j < p->brief.columns; j++) {
      et_matrix_row(&p->brief, i)[j] *= sign;
    }
  }
  const et_reflectors r = {p->columns, p->tau, p->lines.rows, false};
  return r;
}

typedef struct results {
  et_view long_side;  /* vectors, one per column */
  et_view short_side; /* vectors, one per row */
  et_view values;
  bool wants_vectors;
} results;

static void store(parts *p, const results *to, size_t i) {
  const et_view values = et_batch_at(&to->values, 1, i);
  et_vector_store(p->values, &values);
  if (to->wants_vectors) {
    const et_view columns = et_batch_at(&to->long_side, 2, i);
    const et_view rows = et_batch_at(&to->short_side, 2, i);
    const et_reflectors r = reflect(p);
    et_columns_run(NULL, &columns, et_reflectors_apply, &r, p->panel);
    et_matrix_store(&p->brief, &rows);
  }
}

/* With `full_matrices`, U and V are square. Otherwise they have one vector per
 * singular value. */
static et_status resize(et_kernel_context *context, const et_tensor *a,
                        et_value **args) {
  const size_t rows = et_size_from_end(a, 2);
  const size_t columns = et_size_from_end(a, 1);
  const size_t count = rows < columns ? rows : columns;
  const bool is_full = args[1]->u.as_bool;
  const size_t left[2] = {rows, is_full ? rows : count};
  const size_t right[2] = {is_full ? columns : count, columns};
  const int32_t none = 0;
  et_tensor *u = args[4]->u.as_tensor;
  et_tensor *vh = args[6]->u.as_tensor;
  ET_RETURN_IF_ERROR(
      et_batch_resize(context, a, 2, &count, 1, args[5]->u.as_tensor));
  if (!args[2]->u.as_bool) {
    ET_RETURN_IF_ERROR(et_tensor_resize(u, &none, 1, context->error));
    return et_tensor_resize(vh, &none, 1, context->error);
  }
  ET_RETURN_IF_ERROR(et_batch_resize(context, a, 2, left, 2, u));
  return et_batch_resize(context, a, 2, right, 2, vh);
}

static results results_of(et_value **args, bool is_tall) {
  results to = {.values = et_view_of(args[5]->u.as_tensor),
                .wants_vectors = args[2]->u.as_bool};
  if (to.wants_vectors) {
    const et_view u = et_view_of(args[4]->u.as_tensor);
    const et_view vh = et_view_of(args[6]->u.as_tensor);
    to.long_side = is_tall ? u : et_view_transpose(&vh);
    to.short_side = is_tall ? vh : et_view_transpose(&u);
  }
  return to;
}

et_status et_op_linalg_svd_u(et_kernel_context *context, et_value **args) {
  const et_tensor *a = args[0]->u.as_tensor;
  ET_RETURN_IF_ERROR(et_matrices_check(context, "_linalg_svd", a, false));
  ET_RETURN_IF_ERROR(resize(context, a, args));
  const bool is_tall = et_size_from_end(a, 2) >= et_size_from_end(a, 1);
  const size_t length = et_size_from_end(a, is_tall ? 2 : 1);
  const size_t count = et_size_from_end(a, is_tall ? 1 : 2);
  const results to = results_of(args, is_tall);
  const et_view given = et_view_of(a);
  const et_view from = is_tall ? et_view_transpose(&given) : given;
  for (size_t i = 0; i < et_batch_count(&from, 2); i++) {
    parts p = parts_in(context->scratch.data, length, count);
    const et_view lines = et_batch_at(&from, 2, i);
    p.lines = et_matrix_load(&lines, p.lines.at);
    ET_CHECK(context, decompose(&p),
             "_linalg_svd: matrix %zu has elements that are not finite; pass "
             "finite values",
             i);
    store(&p, &to, i);
  }
  return ET_STATUS_OK;
}

et_status et_op_linalg_svd_prepare(et_prepare_context *context,
                                   et_value *const *args, void **out_state) {
  (void)out_state;
  const et_tensor *a = args[0]->u.as_tensor;
  context->scratch_bytes = ET_SINGULAR_VECTORS_SCRATCH(et_size_from_end(a, 2),
                                                       et_size_from_end(a, 1));
  return ET_STATUS_OK;
}
