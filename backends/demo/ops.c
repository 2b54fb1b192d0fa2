#include "backends/demo/ops.h"

#include <math.h>

#include "executorch/checked.h"

/* Size of dim `d` of a result of `rank` dims, as the operand sees it: operands
 * are aligned at their last dim. */
static int32_t size_at(const demo_view *view, size_t rank, size_t d) {
  const size_t missing = rank - view->rank;
  return d < missing ? 1 : view->sizes[d - missing];
}

static et_status infer_broadcast(const demo_view operands[2],
                                 int32_t *out_sizes, size_t *out_rank,
                                 et_error *error) {
  const demo_view *a = &operands[0];
  const demo_view *b = &operands[1];
  const size_t rank = a->rank > b->rank ? a->rank : b->rank;
  for (size_t d = 0; d < rank; d++) {
    const int32_t x = size_at(a, rank, d);
    const int32_t y = size_at(b, rank, d);
    if (x != y && x != 1 && y != 1) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "sizes %d and %d of dim %zu do not broadcast", (int)x,
                     (int)y, d);
    }
    out_sizes[d] = x == 1 ? y : x;
  }
  *out_rank = rank;
  return ET_STATUS_OK;
}

static et_status infer_mm(const demo_view operands[2], int32_t *out_sizes,
                          size_t *out_rank, et_error *error) {
  const demo_view *a = &operands[0];
  const demo_view *b = &operands[1];
  if (a->rank != 2 || b->rank != 2 || a->sizes[1] != b->sizes[0]) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "mm takes (m, k) and (k, n)");
  }
  out_sizes[0] = a->sizes[0];
  out_sizes[1] = b->sizes[1];
  *out_rank = 2;
  return ET_STATUS_OK;
}

static et_status infer_same(const demo_view *operand, int32_t *out_sizes,
                            size_t *out_rank) {
  for (size_t d = 0; d < operand->rank; d++) {
    out_sizes[d] = operand->sizes[d];
  }
  *out_rank = operand->rank;
  return ET_STATUS_OK;
}

et_status demo_infer(demo_kind kind, const demo_view operands[2],
                     int32_t out_sizes[ET_MAX_RANK], size_t *out_rank,
                     size_t *out_numel, et_error *error) {
  const et_status status =
      kind == DEMO_SIN  ? infer_same(operands, out_sizes, out_rank)
      : kind == DEMO_MM ? infer_mm(operands, out_sizes, out_rank, error)
                        : infer_broadcast(operands, out_sizes, out_rank, error);
  ET_RETURN_IF_ERROR(status);
  size_t numel = 1;
  for (size_t d = 0; d < *out_rank; d++) {
    if (!et_checked_mul(numel, (size_t)out_sizes[d], &numel)) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "the result has too many elements");
    }
  }
  *out_numel = numel;
  return ET_STATUS_OK;
}

/* Element of the operand that goes with element `index` of the result. */
static float element_at(const demo_view *view, const int32_t *sizes,
                        size_t rank, size_t index) {
  size_t offset = 0;
  size_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    const size_t own = (size_t)size_at(view, rank, d);
    const size_t at = index % (size_t)sizes[d];
    index /= (size_t)sizes[d];
    offset += own == 1 ? 0 : at * stride;
    stride *= own;
  }
  return view->data[offset];
}

static void compute_mm(const demo_view operands[2], float *out) {
  const size_t rows = (size_t)operands[0].sizes[0];
  const size_t depth = (size_t)operands[0].sizes[1];
  const size_t columns = (size_t)operands[1].sizes[1];
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j < columns; j++) {
      float sum = 0;
      for (size_t k = 0; k < depth; k++) {
        sum +=
            operands[0].data[i * depth + k] * operands[1].data[k * columns + j];
      }
      out[i * columns + j] = sum;
    }
  }
}

void demo_compute(demo_kind kind, const demo_view operands[2],
                  const int32_t *sizes, size_t rank, size_t numel, float *out) {
  if (kind == DEMO_MM) {
    compute_mm(operands, out);
    return;
  }
  for (size_t i = 0; i < numel; i++) {
    const float x = element_at(&operands[0], sizes, rank, i);
    const float y =
        kind == DEMO_SIN ? 0 : element_at(&operands[1], sizes, rank, i);
    out[i] = kind == DEMO_SIN ? sinf(x) : kind == DEMO_ADD ? x + y : x * y;
  }
}
