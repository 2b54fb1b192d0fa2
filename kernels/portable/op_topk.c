#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/line.h"
#include "executorch/kernels/shape.h"

/* The operands of a line. */
enum { VALUES, PLACES, SELF };

typedef struct number {
  int64_t integer;
  double real;
} number;

static int64_t *place_at(const et_lines *lines, uint8_t *const *at, size_t i) {
  return (int64_t *)(void *)(at[PLACES] +
                             (ptrdiff_t)i * lines->strides[PLACES]);
}

static const uint8_t *element_at(const et_lines *lines, uint8_t *const *at,
                                 int64_t place) {
  return at[SELF] + (ptrdiff_t)place * lines->strides[SELF];
}

static number number_at(const et_lines *lines, uint8_t *const *at,
                        int64_t place) {
  const et_scalar_type dtype = lines->dtypes[SELF];
  const uint8_t *in = element_at(lines, at, place);
  number value = {0, 0.0};
  if (et_scalar_type_is_floating(dtype)) {
    et_load_run(ET_COMPUTE_FLOAT64, dtype, in, 0, 1, &value.real);
  } else {
    et_load_run(ET_COMPUTE_INT64, dtype, in, 0, 1, &value.integer);
  }
  return value;
}

/* NaN is greater than any number. */
static bool is_greater(number a, number b) {
  return a.integer > b.integer || a.real > b.real ||
         (a.real != a.real && b.real == b.real);
}

static bool comes_first(number a, number b, bool largest) {
  return largest ? is_greater(a, b) : is_greater(b, a);
}

/* Puts element `place` where it belongs among the `count` places found, of
 * which the last is lost when there are `k`. */
static void insert(const et_lines *lines, uint8_t *const *at, size_t count,
                   int64_t place, bool largest) {
  const number value = number_at(lines, at, place);
  const size_t k = lines->lengths[PLACES];
  size_t i = count;
  while (i > 0 &&
         comes_first(value, number_at(lines, at, *place_at(lines, at, i - 1)),
                     largest)) {
    i--;
    if (i + 1 < k) {
      *place_at(lines, at, i + 1) = *place_at(lines, at, i);
    }
  }
  if (i < k) {
    *place_at(lines, at, i) = place;
  }
}

/* Equal elements come in the order of their places. Needs no memory besides the
 * outs; takes up to k comparisons an element. */
static void select_line(const et_lines *lines, uint8_t *const *at,
                        const void *largest) {
  const size_t size = et_scalar_type_size((int32_t)lines->dtypes[SELF]);
  const size_t k = lines->lengths[PLACES];
  for (size_t i = 0; i < lines->lengths[SELF]; i++) {
    insert(lines, at, i < k ? i : k, (int64_t)i, *(const bool *)largest);
  }
  for (size_t i = 0; i < k; i++) {
    memcpy(at[VALUES] + (ptrdiff_t)i * lines->strides[VALUES],
           element_at(lines, at, *place_at(lines, at, i)), size);
  }
}

static et_status resize_outs(et_kernel_context *context, const et_tensor *self,
                             size_t axis, int64_t k, et_tensor *values,
                             et_tensor *places) {
  int32_t sizes[ET_MAX_RANK];
  const int64_t length = self->rank == 0 ? 1 : self->sizes[axis];
  ET_CHECK(context, k >= 0 && k <= length, "topk: k = %lld is not in [0, %lld]",
           (long long)k, (long long)length);
  ET_CHECK(context, self->rank > 0 || k == 1,
           "topk: k = 0 of a tensor without dimensions");
  for (size_t d = 0; d < self->rank; d++) {
    sizes[d] = d == axis ? (int32_t)k : self->sizes[d];
  }
  ET_RETURN_IF_ERROR(
      et_tensor_resize(values, sizes, self->rank, context->error));
  return et_tensor_resize(places, sizes, self->rank, context->error);
}

et_status et_op_topk_values(et_kernel_context *context, et_value **args) {
  const et_tensor *self = args[0]->u.as_tensor;
  et_tensor *values = args[5]->u.as_tensor;
  et_tensor *places = args[6]->u.as_tensor;
  const bool largest = args[3]->u.as_bool;
  size_t axis = 0;
  ET_RETURN_IF_ERROR(
      et_shape_supports(context, "topk",
                        et_dtype_is_computable(self->dtype) &&
                            places->dtype == ET_SCALAR_TYPE_INT64,
                        self, places));
  ET_RETURN_IF_ERROR(et_shape_same_dtype(context, "topk", self, values));
  ET_RETURN_IF_ERROR(
      et_shape_axis(context, "topk", args[2]->u.as_int, self->rank, &axis));
  ET_RETURN_IF_ERROR(
      resize_outs(context, self, axis, args[1]->u.as_int, values, places));
  const et_view views[3] = {et_view_of(values), et_view_of(places),
                            et_view_of(self)};
  et_lines_run(views, 3, axis, select_line, &largest);
  return ET_STATUS_OK;
}
