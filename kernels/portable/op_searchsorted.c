#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/index.h"
#include "executorch/kernels/shape.h"
#include "executorch/kernels/view.h"

/* A sorted row, in the order of `sorter` if it is not NULL. */
typedef struct row {
  const et_view *sequence;
  const et_view *sorter; /* or NULL */
  size_t first;          /* index of its first element, in row-major order */
  size_t length;
  bool right;
} row;

static double real_at(const et_view *view, size_t i) {
  double value = 0.0;
  et_load_run(
      ET_COMPUTE_FLOAT64, view->dtype,
      view->data + et_view_offset(view, i) *
                       (int64_t)et_scalar_type_size((int32_t)view->dtype),
      0, 1, &value);
  return value;
}

static int64_t integer_at(const et_view *view, size_t i) {
  int64_t value = 0;
  et_load_run(
      ET_COMPUTE_INT64, view->dtype,
      view->data + et_view_offset(view, i) *
                       (int64_t)et_scalar_type_size((int32_t)view->dtype),
      0, 1, &value);
  return value;
}

static size_t element_of(const row *r, size_t i) {
  return r->first +
         (r->sorter == NULL ? i : (size_t)et_index_at(r->sorter, r->first + i));
}

/* Returns true if element `i` of the row comes before value `v`. NaN sorts
 * last. */
static bool is_before(const row *r, size_t i, const et_view *values, size_t v) {
  const size_t element = element_of(r, i);
  if (et_scalar_type_is_floating(r->sequence->dtype)) {
    const double there = real_at(r->sequence, element);
    const double wanted = real_at(values, v);
    return r->right ? !(there > wanted) : !(there >= wanted);
  }
  const int64_t there = integer_at(r->sequence, element);
  const int64_t wanted = integer_at(values, v);
  return r->right ? there <= wanted : there < wanted;
}

static int64_t search(const row *r, const et_view *values, size_t v) {
  size_t low = 0;
  size_t high = r->length;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (is_before(r, middle, values, v)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return (int64_t)low;
}

static et_status check_dtypes(et_kernel_context *context,
                              const et_tensor *sequence, const et_tensor *self,
                              bool narrow, const et_tensor *out) {
  ET_RETURN_IF_ERROR(
      et_shape_same_dtype(context, "searchsorted", sequence, self));
  return et_shape_supports(
      context, "searchsorted",
      et_dtype_is_computable(self->dtype) &&
          out->dtype == (narrow ? ET_SCALAR_TYPE_INT32 : ET_SCALAR_TYPE_INT64),
      self, out);
}

/* A one-dimensional sequence is searched for all values. Otherwise, each row of
 * values is searched for in the corresponding row of the sequence. */
static et_status check_shapes(et_kernel_context *context,
                              const et_tensor *sequence,
                              const et_tensor *self) {
  ET_CHECK(context, sequence->rank >= 1,
           "searchsorted: the sequence has no dimensions");
  ET_CHECK(context, sequence->rank == 1 || sequence->rank == self->rank,
           "searchsorted: the sequence has %d dimensions, the values have %d",
           (int)sequence->rank, (int)self->rank);
  for (size_t d = 0; sequence->rank > 1 && d + 1 < sequence->rank; d++) {
    ET_CHECK(context, sequence->sizes[d] == self->sizes[d],
             "searchsorted: dimension %zu: the sequence has size %d, the "
             "values have %d",
             d, (int)sequence->sizes[d], (int)self->sizes[d]);
  }
  return ET_STATUS_OK;
}

static et_status check_sorter(et_kernel_context *context,
                              const et_tensor *sequence,
                              const et_tensor *sorter) {
  ET_CHECK(context, et_tensor_same_shape(sequence, sorter),
           "searchsorted: the shapes of sorter and sequence differ");
  return et_index_check(context, "searchsorted: sorter", sorter,
                        sequence->sizes[sequence->rank - 1], false);
}

/* `side` is "left" or "right", and overrides `right` unless it is None. */
static bool is_right(const et_value *right, const et_value *side) {
  return et_arg_is_none(side) ? right->u.as_bool
                              : et_arg_is_text(side, "right");
}

static void search_all(const row *given, const et_tensor *sequence,
                       const et_tensor *self, const et_view *out) {
  const et_view values = et_view_of(self);
  const ptrdiff_t size = (ptrdiff_t)et_scalar_type_size((int32_t)out->dtype);
  const bool shared = sequence->rank == 1;
  const size_t columns =
      shared ? self->numel : (size_t)self->sizes[self->rank - 1];
  row r = *given;
  for (size_t v = 0; v < self->numel; v++) {
    r.first = shared ? 0 : v / columns * r.length;
    const int64_t position = search(&r, &values, v);
    et_store_run(ET_COMPUTE_INT64, &position, out->dtype,
                 out->data + et_view_offset(out, v) * size, 0, 1);
  }
}

et_status et_op_searchsorted_tensor_out(et_kernel_context *context,
                                        et_value **args) {
  const et_tensor *sequence = args[0]->u.as_tensor;
  const et_tensor *self = args[1]->u.as_tensor;
  const et_tensor *sorter = et_arg_tensor(args[5]);
  et_tensor *out = args[6]->u.as_tensor;
  const et_view rows = et_view_of(sequence);
  et_view order = rows;
  ET_RETURN_IF_ERROR(
      check_dtypes(context, sequence, self, args[2]->u.as_bool, out));
  ET_RETURN_IF_ERROR(check_shapes(context, sequence, self));
  if (sorter != NULL) {
    ET_RETURN_IF_ERROR(check_sorter(context, sequence, sorter));
    order = et_view_of(sorter);
  }
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, out, self));
  const row given = {&rows, sorter == NULL ? NULL : &order, 0,
                     (size_t)sequence->sizes[sequence->rank - 1],
                     is_right(args[3], args[4])};
  const et_view positions = et_view_of(out);
  search_all(&given, sequence, self, &positions);
  return ET_STATUS_OK;
}
