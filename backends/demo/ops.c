#include "backends/demo/ops.h"

#include <math.h>

#include "executorch/checked.h"

/* Returns the size of an operand in dim `d` of a result with `rank` dims. Dims
 * are aligned from the last one. */
static int32_t size_at(const demo_view *view, size_t rank, size_t d) {
  const size_t missing = rank - view->rank;
  return d < missing ? 1 : view->sizes[d - missing];
}

static et_status infer_broadcast(demo_op *op, const demo_view *operands,
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
    op->sizes[d] = x == 1 ? y : x;
  }
  op->rank = (uint32_t)rank;
  return ET_STATUS_OK;
}

static et_status infer_mm(demo_op *op, const demo_view *operands,
                          et_error *error) {
  const demo_view *a = &operands[0];
  const demo_view *b = &operands[1];
  if (a->rank != 2 || b->rank != 2 || a->sizes[1] != b->sizes[0]) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "mm: the operands are not (m, k) and (k, n)");
  }
  op->sizes[0] = a->sizes[0];
  op->sizes[1] = b->sizes[1];
  op->rank = 2;
  return ET_STATUS_OK;
}

static et_status infer_conv(demo_op *op, const demo_view *operands,
                            et_error *error) {
  const demo_view *x = &operands[0];
  const demo_view *weight = &operands[1];
  const demo_view *bias = &operands[2];
  if (x->rank != 4 || weight->rank != 4 || bias->rank != 1 ||
      x->sizes[1] != weight->sizes[1] || bias->sizes[0] != weight->sizes[0]) {
    return et_fail(
        error, ET_STATUS_INVALID_ARGUMENT,
        "conv_relu: the operands are not (n, c, h, w), (k, c, r, s) and (k)");
  }
  op->sizes[0] = x->sizes[0];
  op->sizes[1] = weight->sizes[0];
  for (size_t d = 2; d < 4; d++) {
    const int64_t space =
        (int64_t)x->sizes[d] + 2 * (int64_t)op->padding - weight->sizes[d];
    if (space < 0) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "conv_relu: the window exceeds dim %zu of the input", d);
    }
    const int64_t size = space / op->stride + 1;
    if (size > INT32_MAX) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "conv_relu: dim %zu of the result is too large", d);
    }
    op->sizes[d] = (int32_t)size;
  }
  op->rank = 4;
  return ET_STATUS_OK;
}

static et_status infer_same(demo_op *op, const demo_view *operand) {
  for (size_t d = 0; d < operand->rank; d++) {
    op->sizes[d] = operand->sizes[d];
  }
  op->rank = (uint32_t)operand->rank;
  return ET_STATUS_OK;
}

static et_status infer_sizes(demo_op *op, const demo_view *operands,
                             et_error *error) {
  switch ((demo_kind)op->kind) {
    case DEMO_MM:
      return infer_mm(op, operands, error);
    case DEMO_CONV_RELU:
      return infer_conv(op, operands, error);
    case DEMO_SIN:
    case DEMO_COS:
      return infer_same(op, operands);
    case DEMO_ADD:
    case DEMO_MUL:
    case DEMO_DIV:
      break;
  }
  return infer_broadcast(op, operands, error);
}

et_status demo_infer(demo_op *op, const demo_view operands[DEMO_MAX_OPERANDS],
                     et_error *error) {
  ET_RETURN_IF_ERROR(infer_sizes(op, operands, error));
  size_t numel = 1;
  for (size_t d = 0; d < op->rank; d++) {
    if (!et_checked_mul(numel, (size_t)op->sizes[d], &numel)) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "the result has too many elements");
    }
  }
  if (numel > op->capacity) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "%zu elements, more than the payload's bound of %u", numel,
                   (unsigned)op->capacity);
  }
  op->numel = (uint32_t)numel;
  return ET_STATUS_OK;
}

/* Returns the element of the operand for element `index` of the result. */
static float element_at(const demo_view *view, const demo_op *op,
                        size_t index) {
  size_t offset = 0;
  size_t stride = 1;
  for (size_t d = op->rank; d-- > 0;) {
    const size_t own = (size_t)size_at(view, op->rank, d);
    const size_t at = index % (size_t)op->sizes[d];
    index /= (size_t)op->sizes[d];
    offset += own == 1 ? 0 : at * stride;
    stride *= own;
  }
  return view->data[offset];
}

static void compute_mm(const demo_view *operands, float *out) {
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

/* Returns the dot product of a window of one channel with its weights. The first
 * element of the window is at `top`, `left`, which may be in the padding. */
static float window_sum(const float *channel, const int32_t *sizes,
                        const float *weight, const int32_t *window, int64_t top,
                        int64_t left) {
  float sum = 0;
  for (int32_t i = 0; i < window[0]; i++) {
    for (int32_t j = 0; j < window[1]; j++, weight++) {
      const int64_t y = top + i;
      const int64_t x = left + j;
      if (y >= 0 && y < sizes[0] && x >= 0 && x < sizes[1]) {
        sum += channel[y * sizes[1] + x] * *weight;
      }
    }
  }
  return sum;
}

/* Computes an output channel of one image. Returns the end of `out`. */
static float *convolve_channel(const demo_op *op, const demo_view *operands,
                               const float *image, size_t channel, float *out) {
  const int32_t *sizes = operands[0].sizes;
  const int32_t *window = operands[1].sizes + 2;
  const size_t plane = (size_t)sizes[2] * (size_t)sizes[3];
  const size_t taps = (size_t)window[0] * (size_t)window[1];
  const size_t depth = (size_t)sizes[1];
  for (int64_t row = 0; row < op->sizes[2]; row++) {
    for (int64_t column = 0; column < op->sizes[3]; column++) {
      float sum = operands[2].data[channel];
      for (size_t c = 0; c < depth; c++) {
        sum += window_sum(image + c * plane, sizes + 2,
                          operands[1].data + (channel * depth + c) * taps,
                          window, row * op->stride - op->padding,
                          column * op->stride - op->padding);
      }
      *out++ = sum < 0 ? 0 : sum; /* NaN is preserved, as in PyTorch */
    }
  }
  return out;
}

static void compute_conv(const demo_op *op, const demo_view *operands) {
  const int32_t *sizes = operands[0].sizes;
  const size_t image = (size_t)sizes[1] * (size_t)sizes[2] * (size_t)sizes[3];
  float *out = op->result;
  for (size_t n = 0; n < (size_t)op->sizes[0]; n++) {
    for (size_t channel = 0; channel < (size_t)op->sizes[1]; channel++) {
      out = convolve_channel(op, operands, operands[0].data + n * image,
                             channel, out);
    }
  }
}

static float compute_element(demo_kind kind, float x, float y) {
  switch (kind) {
    case DEMO_SIN:
      return sinf(x);
    case DEMO_COS:
      return cosf(x);
    case DEMO_ADD:
      return x + y;
    case DEMO_MUL:
      return x * y;
    case DEMO_DIV:
    case DEMO_MM:
    case DEMO_CONV_RELU:
      break;
  }
  return x / y;
}

void demo_compute(const demo_op *op,
                  const demo_view operands[DEMO_MAX_OPERANDS]) {
  const demo_kind kind = (demo_kind)op->kind;
  if (kind == DEMO_MM) {
    compute_mm(operands, op->result);
    return;
  }
  if (kind == DEMO_CONV_RELU) {
    compute_conv(op, operands);
    return;
  }
  for (size_t i = 0; i < op->numel; i++) {
    const float x = element_at(&operands[0], op, i);
    const float y =
        op->operand_count == 1 ? 0 : element_at(&operands[1], op, i);
    op->result[i] = compute_element(kind, x, y);
  }
}

const char *demo_name(demo_kind kind) {
  static const char *const names[] = {
      [DEMO_SIN] = "sin",
      [DEMO_COS] = "cos",
      [DEMO_MM] = "mm",
      [DEMO_ADD] = "add",
      [DEMO_MUL] = "mul",
      [DEMO_DIV] = "div",
      [DEMO_CONV_RELU] = "conv_relu",
  };
  return names[kind];
}
