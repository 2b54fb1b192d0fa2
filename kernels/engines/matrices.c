#include "kernels/engines/linear_algebra.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"

et_status et_matrices_check(et_kernel_context *context, const char *what,
                            const et_tensor *tensor, bool square) {
  ET_CHECK(context, tensor->rank >= 2,
           "%s: expected a matrix or a batch of matrices, got %d dimensions",
           what, (int)tensor->rank);
  const int32_t *sizes = tensor->sizes + tensor->rank - 2;
  ET_CHECK(context, !square || sizes[0] == sizes[1],
           "%s: matrices of %d x %d are not square", what, (int)sizes[0],
           (int)sizes[1]);
  return ET_STATUS_OK;
}

size_t et_batch_count(const et_view *view, size_t inner) {
  size_t count = 1;
  for (size_t d = 0; d + inner < view->rank; d++) {
    count *= (size_t)view->sizes[d];
  }
  return count;
}

et_view et_batch_at(const et_view *view, size_t inner, size_t index) {
  et_view batch = *view;
  batch.rank -= inner;
  et_view piece = {.dtype = view->dtype, .rank = inner};
  piece.data = view->data + et_view_offset(&batch, index) *
                                (int64_t)et_scalar_type_size(view->dtype);
  for (size_t d = 0; d < inner; d++) {
    piece.sizes[d] = view->sizes[batch.rank + d];
    piece.strides[d] = view->strides[batch.rank + d];
  }
  return piece;
}

et_status et_batch_resize(et_kernel_context *context, const et_tensor *like,
                          size_t inner, const size_t *sizes, size_t count,
                          et_tensor *out) {
  int32_t all[ET_MAX_RANK];
  const size_t batch = like->rank - inner;
  for (size_t d = 0; d < batch; d++) {
    all[d] = like->sizes[d];
  }
  for (size_t d = 0; d < count; d++) {
    all[batch + d] = (int32_t)sizes[d];
  }
  return et_tensor_resize(out, all, batch + count, context->error);
}

et_view et_view_transpose(const et_view *view) {
  et_view result = *view;
  const size_t row = view->rank - 2;
  const size_t column = view->rank - 1;
  result.sizes[row] = view->sizes[column];
  result.sizes[column] = view->sizes[row];
  result.strides[row] = view->strides[column];
  result.strides[column] = view->strides[row];
  return result;
}

static ptrdiff_t stride_of(const et_view *view, size_t d) {
  return (ptrdiff_t)(view->strides[d] *
                     (int64_t)et_scalar_type_size(view->dtype));
}

static void load(const et_view *from, size_t row, size_t column, size_t count,
                 double *to) {
  const ptrdiff_t step = stride_of(from, 1);
  et_load_run(ET_COMPUTE_FLOAT64, from->dtype,
              from->data + (ptrdiff_t)row * stride_of(from, 0) +
                  (ptrdiff_t)column * step,
              step, count, to);
}

static void store(const double *from, const et_view *to, size_t row,
                  size_t column, size_t count) {
  const ptrdiff_t step = stride_of(to, 1);
  et_store_run(
      ET_COMPUTE_FLOAT64, from, to->dtype,
      to->data + (ptrdiff_t)row * stride_of(to, 0) + (ptrdiff_t)column * step,
      step, count);
}

et_matrix et_matrix_load(const et_view *from, void *memory) {
  const et_matrix m = {memory, (size_t)from->sizes[0], (size_t)from->sizes[1]};
  for (size_t i = 0; i < m.rows; i++) {
    load(from, i, 0, m.columns, et_matrix_row(&m, i));
  }
  return m;
}

void et_matrix_store(const et_matrix *from, const et_view *to) {
  for (size_t i = 0; i < from->rows; i++) {
    store(et_matrix_row(from, i), to, i, 0, from->columns);
  }
}

void et_vector_load(const et_view *from, double *to) {
  et_load_run(ET_COMPUTE_FLOAT64, from->dtype, from->data, stride_of(from, 0),
              (size_t)from->sizes[0], to);
}

void et_vector_store(const double *from, const et_view *to) {
  et_store_run(ET_COMPUTE_FLOAT64, from, to->dtype, to->data, stride_of(to, 0),
               (size_t)to->sizes[0]);
}

void et_int32_store(const et_view *to, size_t index, int32_t value) {
  memcpy(to->data + et_view_offset(to, index) * (int64_t)sizeof(value), &value,
         sizeof(value));
}

int32_t et_int32_load(const et_view *from, size_t index) {
  int32_t value = 0;
  memcpy(&value,
         from->data + et_view_offset(from, index) * (int64_t)sizeof(value),
         sizeof(value));
  return value;
}

void et_matrix_set_unit(const et_matrix *m) {
  for (size_t i = 0; i < m->rows * m->columns && m->at != NULL; i++) {
    m->at[i] = i % (m->columns + 1) == 0 ? 1.0 : 0.0;
  }
}

void et_matrix_exchange(const et_matrix *m, size_t a, size_t b) {
  double *const first = et_matrix_row(m, a);
  double *const second = et_matrix_row(m, b);
  for (size_t i = 0; i < m->columns && a != b && m->at != NULL; i++) {
    const double kept = first[i];
    first[i] = second[i];
    second[i] = kept;
  }
}

void et_rows_sort(double *keys, size_t count, bool descending,
                  const et_matrix *a, const et_matrix *b) {
  for (size_t i = 0; i + 1 < count; i++) {
    size_t best = i;
    for (size_t j = i + 1; j < count; j++) {
      best =
          (descending ? keys[j] > keys[best] : keys[j] < keys[best]) ? j : best;
    }
    const double kept = keys[i];
    keys[i] = keys[best];
    keys[best] = kept;
    et_matrix_exchange(a, i, best);
    et_matrix_exchange(b, i, best);
  }
}

double et_matrix_scale(et_matrix *m) {
  const size_t count = m->rows * m->columns;
  double largest = 0.0;
  for (size_t i = 0; i < count; i++) {
    const double size = fabs(m->at[i]);
    largest = size <= DBL_MAX ? fmax(largest, size) : INFINITY;
  }
  const double scale = largest > 0.0 ? largest : 1.0;
  for (size_t i = 0; i < count; i++) {
    m->at[i] /= scale;
  }
  return scale;
}

/* Loads `count` columns, from `first`, into a panel. NULL means the identity
 * matrix. */
static void load_panel(const et_view *from, size_t first, size_t count,
                       size_t rows, et_panel *panel) {
  memset(panel, 0, rows * sizeof(*panel));
  for (size_t i = 0; i < rows && from != NULL; i++) {
    load(from, i, first, count, panel[i]);
  }
  for (size_t j = 0; j < count && from == NULL; j++) {
    panel[first + j][j] = 1.0;
  }
}

void et_columns_run(const et_view *from, const et_view *to, et_panel_fn fn,
                    const void *state, double *memory) {
  et_panel *const panel = (et_panel *)(void *)memory;
  const size_t rows = (size_t)to->sizes[0];
  const size_t columns = (size_t)to->sizes[1];
  for (size_t first = 0; first < columns; first += ET_PANEL_COLUMNS) {
    const size_t left = columns - first;
    const size_t count = left < ET_PANEL_COLUMNS ? left : ET_PANEL_COLUMNS;
    load_panel(from, first, count, rows, panel);
    fn(state, panel);
    for (size_t i = 0; i < rows; i++) {
      store(panel[i], to, i, first, count);
    }
  }
}
