#include "kernels/portable/extremum.h"

#include "executorch/kernels/convert.h"
#include "executorch/kernels/line.h"
#include "executorch/kernels/shape.h"

/* Operands of a line. */
enum { VALUES, INDICES, SELF };

typedef struct best {
  int64_t integer;
  double real;
  int64_t index; /* -1 before the first element */
} best;

/* x != x is true only for NaN. */
static bool replaces(const best *found, double real, int64_t integer,
                     bool smallest) {
  if (found->index < 0 || real != real) {
    return true;
  }
  return smallest ? integer <= found->integer && real <= found->real
                  : integer >= found->integer && real >= found->real;
}

static void scan_line(const et_lines *lines, uint8_t *const *at,
                      const void *smallest) {
  const et_scalar_type dtype = lines->dtypes[SELF];
  const bool is_real = et_scalar_type_is_floating(dtype);
  const et_compute compute = is_real ? ET_COMPUTE_FLOAT64 : ET_COMPUTE_INT64;
  best found = {0, 0.0, -1};
  best next = found;
  for (size_t i = 0; i < lines->lengths[SELF]; i++) {
    const ptrdiff_t n = (ptrdiff_t)i;
    et_load_run(compute, dtype, at[SELF] + n * lines->strides[SELF], 0, 1,
                is_real ? (void *)&next.real : (void *)&next.integer);
    if (replaces(&found, next.real, next.integer, *(const bool *)smallest)) {
      found = next;
      found.index = (int64_t)i;
    }
    et_store_run(compute,
                 is_real ? (void *)&found.real : (void *)&found.integer, dtype,
                 at[VALUES] + n * lines->strides[VALUES], 0, 1);
    *(int64_t *)(void *)(at[INDICES] + n * lines->strides[INDICES]) =
        found.index;
  }
}

et_status et_extremum_scan(et_kernel_context *context, const char *what,
                           bool smallest, et_value *const *args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *values = args[2]->u.as_tensor;
  et_tensor *positions = args[3]->u.as_tensor;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(
      et_shape_supports(context, what,
                        et_dtype_is_computable(self->dtype) &&
                            positions->dtype == ET_SCALAR_TYPE_INT64,
                        self, positions));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, self, values));
  ET_RETURN_IF_ERROR(
      et_shape_axis(context, what, args[1]->u.as_int, self->rank, &axis));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, values, self));
  ET_RETURN_IF_ERROR(et_shape_resize_like(context, positions, self));
  const et_view views[3] = {et_view_of(values), et_view_of(positions),
                            et_view_of(self)};
  et_lines_run(views, 3, axis, scan_line, &smallest);
  return ET_STATUS_OK;
}
