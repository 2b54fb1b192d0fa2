/* Convolution of any floating dtype and dim order, transposed or not: for every
 * result, the products of the channels at each tap. */
#include "executorch/kernels/convert.h"
#include "kernels/engines/conv.h"

static size_t element_size(const et_view *view) {
  return et_scalar_type_size((int32_t)view->dtype);
}

/* Sum of products of `count` elements that start at `a` and `b`, `a_dim` and
 * `b_dim` being the dimensions that are walked. */
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

/* The input element that position `o` reads with tap `k`; -1 outside. */
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

static const uint8_t *at(const et_view *view, int64_t i0, int64_t i1,
                         int64_t i2, int64_t i3) {
  const int64_t element = i0 * view->strides[0] + i1 * view->strides[1] +
                          i2 * view->strides[2] + i3 * view->strides[3];
  return view->data + element * (int64_t)element_size(view);
}

/* What one tap adds to out channel m of image n: its group's channels of the
 * input at (iy, ix) times the weights at (ky, kx). */
static double tap_sum(const et_conv *conv, int64_t n, int64_t m, int64_t iy,
                      int64_t ix, int64_t ky, int64_t kx) {
  const int64_t outs = conv->out.sizes[1] / conv->groups;
  const int64_t channels = conv->input.sizes[1] / conv->groups;
  const int64_t group = m / outs;
  const int64_t first = group * channels;
  const size_t weight_dim = conv->transposed ? 0 : 1;
  const uint8_t *weight =
      conv->transposed ? at(&conv->weight, first, m - group * outs, ky, kx)
                       : at(&conv->weight, m, 0, ky, kx);
  return dot(&conv->input, 1, at(&conv->input, n, first, iy, ix), &conv->weight,
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

static double result_at(const et_conv *conv, int64_t n, int64_t m, int64_t oy,
                        int64_t ox) {
  double sum = bias_of(conv, m);
  for (int64_t tap = 0; tap < conv->y.kernel * conv->x.kernel; tap++) {
    const int64_t ky = tap / conv->x.kernel;
    const int64_t kx = tap % conv->x.kernel;
    const int64_t iy = input_at(&conv->y, conv->transposed, oy, ky);
    const int64_t ix = input_at(&conv->x, conv->transposed, ox, kx);
    if (iy >= 0 && ix >= 0) {
      sum += tap_sum(conv, n, m, iy, ix, ky, kx);
    }
  }
  return sum;
}

void et_conv_any(const et_conv *conv) {
  const int64_t channels = conv->out.sizes[1];
  const int64_t positions = conv->y.out * conv->x.out;
  for (int64_t i = 0; i < conv->out.sizes[0] * channels; i++) {
    for (int64_t o = 0; o < positions; o++) {
      const int64_t oy = o / conv->x.out;
      const int64_t ox = o % conv->x.out;
      const double sum = result_at(conv, i / channels, i % channels, oy, ox);
      uint8_t *to =
          conv->out.data +
          (at(&conv->out, i / channels, i % channels, oy, ox) - conv->out.data);
      et_store_run(ET_COMPUTE_FLOAT64, &sum, conv->out.dtype, to, 0, 1);
    }
  }
}
