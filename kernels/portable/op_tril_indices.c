#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/view.h"

/* A matrix whose positions up to a diagonal, or from the diagonal on, are
 * listed. */
typedef struct triangle {
  int64_t rows;
  int64_t columns;
  int64_t diagonal; /* its column in row 0 */
  bool upper;
} triangle;

static int64_t clip(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Return the range of listed columns of a row. */
static int64_t first_of(const triangle *t, int64_t row) {
  return t->upper ? clip(row + t->diagonal, 0, t->columns) : 0;
}

static int64_t end_of(const triangle *t, int64_t row) {
  return t->upper ? t->columns : clip(row + t->diagonal + 1, 0, t->columns);
}

static int64_t count_of(const triangle *t) {
  int64_t count = 0;
  for (int64_t row = 0; row < t->rows && t->columns > 0; row++) {
    count += end_of(t, row) - first_of(t, row);
  }
  return count;
}

static void store(const et_view *out, int64_t which, int64_t position,
                  int64_t value) {
  const int64_t at = which * out->strides[0] + position * out->strides[1];
  et_store_run(ET_COMPUTE_INT64, &value, out->dtype,
               out->data + at * (int64_t)et_scalar_type_size(out->dtype), 0, 1);
}

/* Writes row indices to the first row of out, and column indices to the
 * second. */
static void list_indices(const triangle *t, const et_view *out) {
  int64_t position = 0;
  for (int64_t row = 0; row < t->rows && t->columns > 0; row++) {
    for (int64_t j = first_of(t, row); j < end_of(t, row); j++, position++) {
      store(out, 0, position, row);
      store(out, 1, position, j);
    }
  }
}

static et_status list_triangle(et_kernel_context *context, const char *what,
                               et_value **args, bool upper) {
  et_tensor *out = args[3]->u.as_tensor;
  const triangle t = {args[0]->u.as_int, args[1]->u.as_int,
                      clip(args[2]->u.as_int, INT32_MIN, INT32_MAX), upper};
  ET_CHECK(context,
           t.rows >= 0 && t.rows <= INT32_MAX && t.columns >= 0 &&
               t.columns <= INT32_MAX,
           "%s: size %lld x %lld is out of range", what, (long long)t.rows,
           (long long)t.columns);
  const int64_t count = count_of(&t);
  ET_CHECK(context, count <= INT32_MAX, "%s: %lld indices are too many", what,
           (long long)count);
  const int32_t sizes[2] = {2, (int32_t)count};
  ET_RETURN_IF_ERROR(et_tensor_resize(out, sizes, 2, context->error));
  const et_view to = et_view_of(out);
  list_indices(&t, &to);
  return ET_STATUS_OK;
}

et_status et_op_tril_indices_out(et_kernel_context *context, et_value **args) {
  return list_triangle(context, "tril_indices", args, false);
}

et_status et_op_triu_indices_out(et_kernel_context *context, et_value **args) {
  return list_triangle(context, "triu_indices", args, true);
}
