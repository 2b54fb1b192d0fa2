#include "backends/mapping_demo/steps.h"

#include <math.h>
#include <string.h>

/* The weights lie where the payload does, at any address. */
static float weight_at(const uint8_t *weights, size_t index) {
  uint32_t bits = 0;
  for (size_t i = 0; i < sizeof bits; i++) {
    bits |= (uint32_t)weights[sizeof bits * index + i] << (8 * i);
  }
  float value = 0;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* The sum of one window of one channel, whose first element is at `top`,
 * `left`, which may lie in the padding. */
static float window_sum(const mapping_demo_convolution *c, const float *channel,
                        size_t weight, int64_t top, int64_t left) {
  float sum = 0;
  for (uint32_t i = 0; i < c->window_height; i++) {
    for (uint32_t j = 0; j < c->window_width; j++) {
      const int64_t y = top + i;
      const int64_t x = left + j;
      if (y >= 0 && y < c->in.height && x >= 0 && x < c->in.width) {
        sum += channel[y * c->in.width + x] *
               weight_at(c->weights, weight + i * c->window_width + j);
      }
    }
  }
  return sum;
}

static float convolve_at(const mapping_demo_convolution *c, const float *image,
                         size_t channel, uint32_t row, uint32_t column) {
  const size_t window = (size_t)c->window_height * c->window_width;
  const size_t bias = c->out.channels * c->in.channels * window;
  const int64_t top = (int64_t)row * c->stride - c->padding;
  const int64_t left = (int64_t)column * c->stride - c->padding;
  float sum = weight_at(c->weights, bias + channel);
  for (size_t i = 0; i < c->in.channels; i++) {
    sum += window_sum(c, image + i * c->in.height * c->in.width,
                      (channel * c->in.channels + i) * window, top, left);
  }
  return sum;
}

static float *convolve_channel(const mapping_demo_convolution *c,
                               const float *image, size_t channel, float *out) {
  for (uint32_t row = 0; row < c->out.height; row++) {
    for (uint32_t column = 0; column < c->out.width; column++) {
      const float sum = convolve_at(c, image, channel, row, column);
      *out++ = sum < 0 ? 0 : sum; /* NaN stays, as in PyTorch */
    }
  }
  return out;
}

static void convolve(const mapping_demo_convolution *c, const float *in,
                     float *out) {
  const size_t image = (size_t)c->in.channels * c->in.height * c->in.width;
  for (size_t n = 0; n < c->batch; n++) {
    for (size_t channel = 0; channel < c->out.channels; channel++) {
      out = convolve_channel(c, in + n * image, channel, out);
    }
  }
}

void mapping_demo_compute(const mapping_demo_step *step,
                          const float *const operands[2], float *out) {
  if (step->kind == MAPPING_DEMO_CONV_RELU) {
    convolve(&step->convolution, operands[0], out);
    return;
  }
  for (size_t i = 0; i < step->numel; i++) {
    const float x = operands[0][i];
    out[i] = step->kind == MAPPING_DEMO_SIN   ? sinf(x)
             : step->kind == MAPPING_DEMO_COS ? cosf(x)
                                              : x / operands[1][i];
  }
}

const char *mapping_demo_name(mapping_demo_kind kind) {
  static const char *const names[] = {
      [MAPPING_DEMO_CONV_RELU] = "conv_relu",
      [MAPPING_DEMO_SIN] = "sin_of_tan",
      [MAPPING_DEMO_COS] = "cos_of_tan",
      [MAPPING_DEMO_DIV] = "div_of_tan",
  };
  return names[kind];
}
