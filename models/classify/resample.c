#include "models/classify/resample.h"

#include <math.h>
#include <stdlib.h>

enum {
  /* Maximum filter taps: a sample spans up to PICTURE_MAX_SIDE pixels, and the filter two samples
   * on each side, plus both ends. */
  kMaxTaps = 4 * PICTURE_MAX_SIDE + 2,
};

/* Cubic convolution kernel with a = -1/2 (Keys, 1981). */
static float cubic(float distance) {
  const float x = fabsf(distance);
  if (x >= 2) {
    return 0;
  }
  return x < 1 ? (1.5f * x - 2.5f) * x * x + 1
               : ((-0.5f * x + 2.5f) * x - 4) * x + 2;
}

/* Sample positions along one axis. Sample i starts at `start` + i * `scale`, in pixels. */
typedef struct axis {
  float start;
  float scale;
  int size; /* of the image */
} axis;

/* Pixels that contribute to a sample, and their weights, which sum to 1. */
typedef struct taps {
  int first;
  int count;
  float *weights;
} taps;

static axis axis_of(int size, float length, int samples) {
  return (axis){((float)size - length) / 2, length / (float)samples, size};
}

static void taps_at(const axis *along, int sample, taps *out) {
  const float width = along->scale > 1 ? along->scale : 1;
  const float centre = along->start + ((float)sample + 0.5f) * along->scale;
  const int first = (int)(centre - 2 * width + 0.5f);
  const int last = (int)(centre + 2 * width + 0.5f);
  out->first = first > 0 ? first : 0;
  out->count = (last < along->size ? last : along->size) - out->first;
  float sum = 0;
  for (int i = 0; i < out->count; ++i) {
    const float place = (float)(out->first + i) + 0.5f;
    out->weights[i] = cubic((place - centre) / width);
    sum += out->weights[i];
  }
  for (int i = 0; i < out->count; ++i) {
    out->weights[i] /= sum;
  }
}

static uint8_t rounded(float value) {
  return (uint8_t)(fminf(fmaxf(value, 0), 255) + 0.5f);
}

/* Computes one sample per row: out[row * stride], for three channels. */
static void resample_column(const picture *image, const taps *across,
                            size_t stride, uint8_t *out) {
  for (int row = 0; row < image->height; ++row, out += stride) {
    const uint8_t *pixel =
        image->pixels +
        ((size_t)row * (size_t)image->width + (size_t)across->first) * 3;
    float sum[3] = {0, 0, 0};
    for (int i = 0; i < across->count; ++i) {
      for (int channel = 0; channel < 3; ++channel) {
        sum[channel] += across->weights[i] * (float)*pixel++;
      }
    }
    for (int channel = 0; channel < 3; ++channel) {
      out[channel] = rounded(sum[channel]);
    }
  }
}

/* Computes one output row from rows that are already resampled: [height, side, 3]. */
static void resample_row(const uint8_t *rows, const taps *down, int side,
                         float *out) {
  const size_t stride = (size_t)side * 3;
  for (size_t i = 0; i < stride; ++i) {
    const uint8_t *column = rows + (size_t)down->first * stride + i;
    float sum = 0;
    for (int tap = 0; tap < down->count; ++tap, column += stride) {
      sum += down->weights[tap] * (float)*column;
    }
    out[i % 3 * (size_t)side * (size_t)side + i / 3] = rounded(sum);
  }
}

bool picture_resample_middle(const picture *image, float share, int side,
                             float *out) {
  const size_t stride = (size_t)side * 3;
  const int shorter =
      image->width < image->height ? image->width : image->height;
  const axis across = axis_of(image->width, share * (float)shorter, side);
  const axis down = axis_of(image->height, share * (float)shorter, side);
  taps found = {0, 0, malloc(kMaxTaps * sizeof(float))};
  uint8_t *rows = malloc((size_t)image->height * stride);
  const bool fits = found.weights != NULL && rows != NULL;
  for (int i = 0; fits && i < side; ++i) {
    taps_at(&across, i, &found);
    resample_column(image, &found, stride, rows + (size_t)i * 3);
  }
  for (int i = 0; fits && i < side; ++i) {
    taps_at(&down, i, &found);
    resample_row(rows, &found, side, out + (size_t)i * (size_t)side);
  }
  free(rows);
  free(found.weights);
  return fits;
}
