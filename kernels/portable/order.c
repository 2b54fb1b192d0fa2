#include "kernels/portable/lines.h"

#include <string.h>

#include "executorch/kernels/args.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/line.h"
#include "executorch/kernels/shape.h"

/* Operands of a line. VALUES is last because it is optional. */
enum { INDICES, SELF, VALUES };

/* State of one line. Its indices form a heap: entry i comes after entries 2i +
 * 1 and 2i + 2 in sort order, so the first entry comes last. */
typedef struct heap {
  const et_lines *lines;
  uint8_t *const *at;
  bool largest;
} heap;

/* Properties that all lines share. */
typedef struct request {
  bool largest;
  bool has_values;
} request;

typedef struct number {
  int64_t integer;
  double real;
} number;

static int64_t *index_at(const heap *h, size_t i) {
  return (int64_t *)(void *)(h->at[INDICES] +
                             (ptrdiff_t)i * h->lines->strides[INDICES]);
}

static const uint8_t *element_at(const heap *h, int64_t position) {
  return h->at[SELF] + (ptrdiff_t)position * h->lines->strides[SELF];
}

static number number_at(const heap *h, int64_t position) {
  const et_scalar_type dtype = h->lines->dtypes[SELF];
  const uint8_t *in = element_at(h, position);
  number value = {0, 0.0};
  if (dtype == ET_SCALAR_TYPE_FLOAT32) {
    value.real = (double)*(const float *)(const void *)in;
  } else if (et_scalar_type_is_floating(dtype)) {
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

/* Returns true if the element at index `a` comes after the one at index `b`. */
static bool comes_after(const heap *h, int64_t a, int64_t b) {
  const number x = number_at(h, a);
  const number y = number_at(h, b);
  if (is_greater(x, y)) {
    return !h->largest;
  }
  return is_greater(y, x) ? h->largest : a > b;
}

/* Replaces entry `at` of a heap of `count` entries with `position`, and restores
 * the heap. */
static void sink(const heap *h, size_t count, size_t at, int64_t position) {
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count &&
        comes_after(h, *index_at(h, child + 1), *index_at(h, child))) {
      child++;
    }
    if (!comes_after(h, *index_at(h, child), position)) {
      break;
    }
    *index_at(h, at) = *index_at(h, child);
    at = child;
  }
  *index_at(h, at) = position;
}

/* Fills the heap with the `k` elements that come first in sort order. */
static void fill(const heap *h, size_t k) {
  for (size_t i = 0; i < k; i++) {
    *index_at(h, i) = (int64_t)i;
  }
  for (size_t i = k / 2; i-- > 0;) {
    sink(h, k, i, *index_at(h, i));
  }
  for (size_t i = k; k > 0 && i < h->lines->lengths[SELF]; i++) {
    if (comes_after(h, *index_at(h, 0), (int64_t)i)) {
      sink(h, k, 0, (int64_t)i);
    }
  }
}

/* Heapsort: repeatedly moves the first entry to the end. */
static void unfold(const heap *h, size_t k) {
  for (size_t rest = k; rest > 1; rest--) {
    const int64_t position = *index_at(h, rest - 1);
    *index_at(h, rest - 1) = *index_at(h, 0);
    sink(h, rest - 1, 0, position);
  }
}

static void order_line(const et_lines *lines, uint8_t *const *at,
                       const void *state) {
  const request *wanted = state;
  const heap h = {lines, at, wanted->largest};
  const size_t size = et_scalar_type_size((int32_t)lines->dtypes[SELF]);
  const size_t k = lines->lengths[INDICES];
  fill(&h, k);
  unfold(&h, k);
  for (size_t i = 0; wanted->has_values && i < k; i++) {
    memcpy(at[VALUES] + (ptrdiff_t)i * lines->strides[VALUES],
           element_at(&h, *index_at(&h, i)), size);
  }
}

static et_status resize_outs(et_kernel_context *context, const char *what,
                             const et_tensor *self, size_t axis, int64_t k,
                             et_tensor *values, et_tensor *indices) {
  int32_t sizes[ET_MAX_RANK];
  const int64_t length = self->rank == 0 ? 1 : self->sizes[axis];
  ET_CHECK(context, k >= 0 && k <= length, "%s: k = %lld is not in [0, %lld]",
           what, (long long)k, (long long)length);
  for (size_t d = 0; d < self->rank; d++) {
    sizes[d] = d == axis ? (int32_t)k : self->sizes[d];
  }
  if (values != NULL) {
    ET_RETURN_IF_ERROR(et_shape_same_dtype(context, what, self, values));
    ET_RETURN_IF_ERROR(
        et_tensor_resize(values, sizes, self->rank, context->error));
  }
  return et_tensor_resize(indices, sizes, self->rank, context->error);
}

et_status et_order_first(et_kernel_context *context, const char *what,
                         const et_tensor *self, int64_t dim, int64_t k,
                         bool largest, et_tensor *values, et_tensor *indices) {
  size_t axis = 0;
  ET_RETURN_IF_ERROR(
      et_shape_supports(context, what,
                        et_dtype_is_computable(self->dtype) &&
                            indices->dtype == ET_SCALAR_TYPE_INT64,
                        self, indices));
  ET_RETURN_IF_ERROR(et_shape_axis(context, what, dim, self->rank, &axis));
  ET_RETURN_IF_ERROR(
      resize_outs(context, what, self, axis, k, values, indices));
  const request wanted = {largest, values != NULL};
  const et_view views[3] = {et_view_of(indices), et_view_of(self),
                            wanted.has_values ? et_view_of(values)
                                              : (et_view){.rank = 0}};
  et_lines_run(views, wanted.has_values ? 3 : 2, axis, order_line, &wanted);
  return ET_STATUS_OK;
}
