/* Depthwise convolution in channels-last order, with one output channel per
 * group. Multiplies the channels of a pixel by those of a tap, elementwise. The
 * weights are packed into scratch by tap. */
#include "kernels/engines/conv_geometry.h"

/* A range of channels, for all positions. */
typedef struct channels {
  const et_conv *conv;
  float *taps; /* [KH, KW, count] */
  int64_t first;
  int64_t count;
} channels;

static const float *floats(const et_view *view) {
  return (const float *)(const void *)view->data;
}

static void pack_taps(const channels *c) {
  const et_view *weight = &c->conv->weight;
  const int64_t *strides = weight->strides;
  float *to = c->taps;
  for (int64_t ky = 0; ky < weight->sizes[3]; ky++) {
    for (int64_t kx = 0; kx < weight->sizes[4]; kx++) {
      const float *from = floats(weight) + c->first * strides[0] +
                          ky * strides[3] + kx * strides[4];
      for (int64_t i = 0; i < c->count; i++) {
        *to++ = from[i * strides[0]];
      }
    }
  }
}

static void add_one(int64_t count, const float *restrict w,
                    const float *restrict in, float *restrict out) {
  for (int64_t i = 0; i < count; i++) {
    out[i] += w[i] * in[i];
  }
}

/* Accumulates three taps of a row. Their pixels are `step` elements apart. */
static void add_three(int64_t count, const float *restrict w,
                      const float *restrict in, int64_t step,
                      float *restrict out) {
  const float *restrict w1 = w + count;
  const float *restrict w2 = w1 + count;
  const float *restrict in1 = in + step;
  const float *restrict in2 = in1 + step;
  for (int64_t i = 0; i < count; i++) {
    out[i] += w[i] * in[i] + w1[i] * in1[i] + w2[i] * in2[i];
  }
}

/* Accumulates the taps [low, high) of kernel row ky, which read input row
 * `row`. */
static void add_row(const channels *c, const float *row, int64_t ox, int64_t ky,
                    int64_t low, int64_t high, float *out) {
  const et_conv_axis *x = &c->conv->x;
  const int64_t pixel = c->conv->input.strides[4];
  const int64_t step = x->dilation * pixel;
  const float *in = row + (ox * x->stride - x->padding) * pixel;
  const float *w = c->taps + ky * x->kernel * c->count;
  int64_t kx = low;
  for (; kx + 3 <= high; kx += 3) {
    add_three(c->count, w + kx * c->count, in + kx * step, step, out);
  }
  for (; kx < high; kx++) {
    add_one(c->count, w + kx * c->count, in + kx * step, out);
  }
}

static void compute_position(const channels *c, const float *image, int64_t oy,
                             int64_t ox, float *out) {
  const et_conv_axis *y = &c->conv->y;
  const float *bias = floats(&c->conv->bias);
  int64_t low_y = 0;
  int64_t high_y = 0;
  int64_t low_x = 0;
  int64_t high_x = 0;
  et_conv_taps_inside(y, oy, &low_y, &high_y);
  et_conv_taps_inside(&c->conv->x, ox, &low_x, &high_x);
  for (int64_t i = 0; i < c->count; i++) {
    out[i] = bias == NULL ? 0.0f : bias[c->first + i];
  }
  for (int64_t ky = low_y; ky < high_y; ky++) {
    const int64_t iy = oy * y->stride + ky * y->dilation - y->padding;
    add_row(c, image + iy * c->conv->input.strides[3], ox, ky, low_x, high_x,
            out);
  }
}

static void compute_channels(const channels *c) {
  const et_conv *conv = c->conv;
  const int64_t *strides = conv->out.strides;
  pack_taps(c);
  for (int64_t n = 0; n < conv->out.sizes[0]; n++) {
    const float *image =
        floats(&conv->input) + n * conv->input.strides[0] + c->first;
    float *out = (float *)(void *)conv->out.data + n * strides[0] + c->first;
    for (int64_t i = 0; i < conv->y.out * conv->x.out; i++) {
      const int64_t oy = i / conv->x.out;
      const int64_t ox = i % conv->x.out;
      compute_position(c, image, oy, ox,
                       out + oy * strides[3] + ox * strides[4]);
    }
  }
}

bool et_conv_last_depthwise(const et_conv *conv, et_mutable_span scratch) {
  const int64_t all = conv->out.sizes[1];
  const int64_t taps = conv->y.kernel * conv->x.kernel;
  const int64_t fit = (int64_t)(scratch.size / sizeof(float)) / taps;
  if (conv->weight.sizes[1] != 1 || conv->groups != all || fit == 0) {
    return false;
  }
  channels c = {.conv = conv, .taps = (float *)(void *)scratch.data};
  for (; c.first < all; c.first += c.count) {
    c.count = all - c.first < fit ? all - c.first : fit;
    compute_channels(&c);
  }
  return true;
}
