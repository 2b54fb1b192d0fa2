/* Implements resize.h: interpolation of float32 images, one output row per call.
 *
 * Output pixel (i, j) is the sum of up to 4 x 4 input pixels of [height, width, channels],
 * multiplied by their weights along y and x. The tile is one vector of channels. Nearest modes copy
 * pixels. With few channels, computing positions and weights is the bottleneck; otherwise, loads
 * are. */
#include "backends/cpu/microkernels/resize.h"

#include <math.h>

#include "backends/cpu/microkernels/simd.h"

#define AXIS_TAPS 4

/* The input pixels along an axis that contribute to an output pixel, and their weights. */
typedef struct taps {
  size_t at[AXIS_TAPS];
  float weight[AXIS_TAPS];
  size_t count;
} taps;

/* Returns the pixel at a position. A position can exceed SIZE_MAX, so it is compared before it is
 * converted. */
static size_t clamped(float at, size_t size) {
  if (at < 1.0f) {
    return 0;
  }
  if (at >= (float)size) {
    return size - 1;
  }
  const size_t whole = (size_t)at;
  return whole < size ? whole : size - 1;
}

static taps nearest_tap(const et_cpu_resize_axis *axis, float at) {
  return (taps){.at = {clamped(at, axis->in)}, .weight = {1.0f}, .count = 1};
}

/* Positions before the first pixel or after the last pixel are clamped. */
static taps linear_taps(const et_cpu_resize_axis *axis, float at) {
  const float inside = at < 0.0f ? 0.0f : at;
  const size_t low = clamped(inside, axis->in);
  const float part = inside - (float)low < 1.0f ? inside - (float)low : 1.0f;
  return (taps){.at = {low, low + 1 < axis->in ? low + 1 : low},
                .weight = {1.0f - part, part},
                .count = 2};
}

/* Weights of a cubic convolution at distances from 0 to 1, and from 1 to 2. */
#define CUBIC (-0.75f)

static float near_weight(float t) {
  return ((CUBIC + 2.0f) * t - (CUBIC + 3.0f)) * t * t + 1.0f;
}

static float far_weight(float t) {
  return ((CUBIC * t - 5.0f * CUBIC) * t + 8.0f * CUBIC) * t - 4.0f * CUBIC;
}

static taps cubic_taps(const et_cpu_resize_axis *axis, float at) {
  const float low = floorf(at);
  const float t = at - low;
  taps found = {.weight = {far_weight(t + 1.0f), near_weight(t),
                           near_weight(1.0f - t), far_weight(2.0f - t)},
                .count = 4};
  for (size_t i = 0; i < found.count; i++) {
    found.at[i] = clamped(low + (float)i - 1.0f, axis->in);
  }
  return found;
}

static taps find_taps(const et_cpu_resize *r, const et_cpu_resize_axis *axis,
                      size_t out) {
  const float place = (float)out;
  const float at = r->align_corners ? place * axis->scale
                                    : (place + 0.5f) * axis->scale - 0.5f;
  switch (r->mode) {
    case ET_CPU_RESIZE_MODE_NEAREST:
      return nearest_tap(axis, place * axis->scale);
    case ET_CPU_RESIZE_MODE_NEAREST_EXACT:
      return nearest_tap(axis, (place + 0.5f) * axis->scale);
    case ET_CPU_RESIZE_MODE_LINEAR:
      return linear_taps(axis, at);
    default:
      return cubic_taps(axis, at);
  }
}

/* Returns weighted sums of `count` <= ET_CPU_LANES channels. `image` points to the first one. */
ET_INLINE et_f32 sum_taps(const et_cpu_resize *r, const float *image,
                          const taps *y, const taps *x, size_t count) {
  et_f32 sum = et_f32_all(0.0f);
  for (size_t i = 0; i < y->count; i++) {
    for (size_t j = 0; j < x->count; j++) {
      const float *at = image + (y->at[i] * r->x.in + x->at[j]) * r->channels;
      const et_f32 value =
          count == ET_CPU_LANES ? et_f32_load(at) : et_f32_load_some(at, count);
      sum = et_f32_fma(value, et_f32_all(y->weight[i] * x->weight[j]), sum);
    }
  }
  return sum;
}

static void sum_pixel(const et_cpu_resize *r, const float *image, const taps *y,
                      const taps *x, float *out) {
  size_t c = 0;
  for (; c + ET_CPU_LANES <= r->channels; c += ET_CPU_LANES) {
    et_f32_store(out + c, sum_taps(r, image + c, y, x, ET_CPU_LANES));
  }
  if (c < r->channels) {
    const size_t left = r->channels - c;
    et_f32_store_some(out + c, sum_taps(r, image + c, y, x, left), left);
  }
}

void ET_CPU_NAME(et_cpu_resize_f32)(const et_cpu_resize *resize,
                                    const float *image, size_t row,
                                    float *out) {
  const taps y = find_taps(resize, &resize->y, row);
  const size_t channels = resize->channels;
  for (size_t i = 0; i < resize->x.out; i++, out += channels) {
    const taps x = find_taps(resize, &resize->x, i);
    if (y.count == 1) {
      memcpy(out, image + (y.at[0] * resize->x.in + x.at[0]) * channels,
             channels * sizeof(float));
    } else {
      sum_pixel(resize, image, &y, &x, out);
    }
  }
}
