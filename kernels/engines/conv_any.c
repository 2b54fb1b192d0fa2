/* Convolution of any floating dtype and dim order, transposed or not. Each
 * output element is the sum of a dot product over the channels for each tap. */
#include "executorch/kernels/convert.h"
#include "kernels/engines/conv.h"

static size_t element_size(const et_view *view) {
  return et_scalar_type_size((int32_t)view->dtype);
}

/* Returns the dot product of `count` elements from `a_data` along `a_dim` and
 * from `b_data` along `b_dim`. */
static double dot(const et_view *a, size_t a_dim, const uint8_t *a_data,
                  const et_view *b, size_t b_dim, const uint8_t *b_data,
                  size_t count) {
  const ptrdiff_t a_stride = a->strides[a_dim] * (ptrdiff_t)element_size(a);
  const ptrdiff_t b_stride = b->strides[b_dim] * (ptrdiff_t)element_size(b);
  double sum = 0.0;
  for (size_t start = 0; start < count; start += ET_CHUNK) {
    const size_t n = count - start < ET_CHUNK ? count - start : ET_CHUNK;
    et_chunk x;
    et_chunk w;
    et_load_run(ET_COMPUTE_FLOAT64, a->dtype,
                a_data + (ptrdiff_t)start * a_stride, a_stride, n, &x);
    et_load_run(ET_COMPUTE_FLOAT64, b->dtype,
                b_data + (ptrdiff_t)start * b_stride, b_stride, n, &w);
    for (size_t i = 0; i < n; i++) {
      sum += x.float64[i] * w.float64[i];
    }
  }
  return sum;
}

/* Returns the input index that tap `k` reads at output `o`, or -1 outside the
 * input. */
static int64_t input_at(const et_conv_axis *axis, bool transposed, int64_t o,
                        int64_t k) {
  int64_t i = 0;
  if (transposed) {
    const int64_t numerator = o + axis->padding - k * axis->dilation;
    i = numerator % axis->stride == 0 ? numerator / axis->stride : -1;
  } else {
    i = o * axis->stride + k * axis->dilation - axis->padding;
  }
  return i >= 0 && i < axis->in ? i : -1;
}

/* Coordinates in a volume. */
typedef struct point {
  int64_t z;
  int64_t y;
  int64_t x;
} point;

/* Returns the coordinates of element `i`, in row-major order, of a volume of
 * that height and width. */
static point point_at(int64_t i, int64_t height, int64_t width) {
  return (point){i / width / height, i / width % height, i % width};
}

static uint8_t *at(const et_view *view, int64_t i0, int64_t i1,
                   const point *p) {
  const int64_t element = i0 * view->strides[0] + i1 * view->strides[1] +
                          p->z * view->strides[2] + p->y * view->strides[3] +
                          p->x * view->strides[4];
  return view->data + element * (int64_t)element_size(view);
}

/* Returns the contribution of one tap to output channel m of image n: the dot
 * product of the group's input channels at `in` and the weights at `tap`. */
static double tap_sum(const et_conv *conv, int64_t n, int64_t m,
                      const point *in, const point *tap) {
  const int64_t outs = conv->out.sizes[1] / conv->groups;
  const int64_t channels = conv->input.sizes[1] / conv->groups;
  const int64_t group = m / outs;
  const int64_t first = group * channels;
  const size_t weight_dim = conv->transposed ? 0 : 1;
  const uint8_t *weight = conv->transposed
                              ? at(&conv->weight, first, m - group * outs, tap)
                              : at(&conv->weight, m, 0, tap);
  return dot(&conv->input, 1, at(&conv->input, n, first, in), &conv->weight,
             weight_dim, weight, (size_t)channels);
}

static double bias_of(const et_conv *conv, int64_t m) {
  double bias = 0.0;
  if (conv->bias.data != NULL) {
    const int64_t offset = m * conv->bias.strides[0];
    et_load_run(ET_COMPUTE_FLOAT64, conv->bias.dtype,
                conv->bias.data + offset * (int64_t)element_size(&conv->bias),
                0, 1, &bias);
  }
  return bias;
}

/* Returns 0 for zero input channels, because an empty weight can have any
 * number of taps. */
static int64_t tap_count(const et_conv *conv) {
  const int64_t plane = conv->y.kernel * conv->x.kernel;
  return conv->input.sizes[1] == 0 ? 0 : conv->z.kernel * plane;
}

static double result_at(const et_conv *conv, int64_t n, int64_t m,
                        const point *o) {
  const bool transposed = conv->transposed;
  const int64_t taps = tap_count(conv);
  double sum = bias_of(conv, m);
  for (int64_t i = 0; i < taps; i++) {
    const point tap = point_at(i, conv->y.kernel, conv->x.kernel);
    const point in = {input_at(&conv->z, transposed, o->z, tap.z),
                      input_at(&conv->y, transposed, o->y, tap.y),
                      input_at(&conv->x, transposed, o->x, tap.x)};
    if (in.z >= 0 && in.y >= 0 && in.x >= 0) {
      sum += tap_sum(conv, n, m, &in, &tap);
    }
  }
  return sum;
}

void et_conv_any(const et_conv *conv) {
  const int64_t channels = conv->out.sizes[1];
  const int64_t positions = conv->z.out * conv->y.out * conv->x.out;
  for (int64_t i = 0; i < conv->out.sizes[0] * channels; i++) {
    for (int64_t o = 0; o < positions; o++) {
      const point position = point_at(o, conv->y.out, conv->x.out);
      const double sum = result_at(conv, i / channels, i % channels, &position);
      et_store_run(ET_COMPUTE_FLOAT64, &sum, conv->out.dtype,
                   at(&conv->out, i / channels, i % channels, &position), 0, 1);
    }
  }
}
