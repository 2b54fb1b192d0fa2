#include "models/image.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* ImageNet statistics of the red, green and blue channels. */
static const float kMean[3] = {0.485f, 0.456f, 0.406f};
static const float kDeviation[3] = {0.229f, 0.224f, 0.225f};

/* Reads the next number of a PPM header, after white space and # comments. Returns -1 if there is
 * none, or if it exceeds IMAGE_MAX_SIDE. */
static int read_number(FILE *file) {
  int c = fgetc(file);
  while (c != EOF && (isspace(c) || c == '#')) {
    while (c == '#' && (c = fgetc(file)) != EOF && c != '\n') {
    }
    c = fgetc(file);
  }
  int value = isdigit(c) ? 0 : -1;
  for (; isdigit(c) && value <= IMAGE_MAX_SIDE; c = fgetc(file)) {
    value = 10 * value + (c - '0');
  }
  return value <= IMAGE_MAX_SIDE ? value : -1;
}

static const char *read_ppm(FILE *file, rgb_image *out) {
  if (fgetc(file) != 'P' || fgetc(file) != '6') {
    return "not a binary PPM (P6); convert it first, for example: convert "
           "photo.jpg photo.ppm";
  }
  out->width = read_number(file);
  out->height = read_number(file);
  const int levels = read_number(file);
  if (out->width < 1 || out->height < 1 || levels != 255) {
    return "the header needs width, height (1 to 16384) and 255 levels";
  }
  const size_t size = (size_t)out->width * (size_t)out->height * 3;
  out->pixels = malloc(size);
  if (out->pixels == NULL) {
    return "out of memory";
  }
  return fread(out->pixels, 1, size, file) == size ? NULL
                                                   : "the pixels are truncated";
}

bool image_read_ppm(const char *path, rgb_image *out) {
  *out = (rgb_image){0, 0, NULL};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return false;
  }
  const char *problem = read_ppm(file, out);
  fclose(file);
  if (problem != NULL) {
    fprintf(stderr, "%s: %s\n", path, problem);
    image_free(out);
  }
  return problem == NULL;
}

void image_free(rgb_image *image) {
  free(image->pixels);
  *image = (rgb_image){0, 0, NULL};
}

/* A sampling position along one axis: two adjacent pixels and the weight of the second. */
typedef struct sample {
  int low;
  int high;
  float fraction;
} sample;

static sample sample_at(float position, int size) {
  const float clamped = position < 0.0f ? 0.0f : position;
  int low = (int)clamped;
  low = low < size - 1 ? low : size - 1;
  const int high = low < size - 1 ? low + 1 : low;
  return (sample){low, high, clamped - (float)low};
}

static float pixel(const rgb_image *image, int y, int x, int channel) {
  return (float)
      image->pixels[((size_t)y * (size_t)image->width + (size_t)x) * 3 +
                    (size_t)channel];
}

static float interpolate(const rgb_image *image, sample y, sample x,
                         int channel) {
  const float top = pixel(image, y.low, x.low, channel) * (1 - x.fraction) +
                    pixel(image, y.low, x.high, channel) * x.fraction;
  const float bottom = pixel(image, y.high, x.low, channel) * (1 - x.fraction) +
                       pixel(image, y.high, x.high, channel) * x.fraction;
  return top * (1 - y.fraction) + bottom * y.fraction;
}

void image_to_tensor(const rgb_image *image, int resize_side, int crop_side,
                     float *out) {
  const int shorter =
      image->width < image->height ? image->width : image->height;
  const float scale = (float)shorter / (float)resize_side;
  const float left = ((float)image->width / scale - (float)crop_side) / 2;
  const float top = ((float)image->height / scale - (float)crop_side) / 2;
  for (int channel = 0; channel < 3; ++channel) {
    for (int row = 0; row < crop_side; ++row) {
      /* Pixel centers are at half-integer coordinates. */
      const sample y =
          sample_at(((float)row + top + 0.5f) * scale - 0.5f, image->height);
      for (int column = 0; column < crop_side; ++column) {
        const sample x = sample_at(((float)column + left + 0.5f) * scale - 0.5f,
                                   image->width);
        const float value = interpolate(image, y, x, channel) / 255.0f;
        *out++ = (value - kMean[channel]) / kDeviation[channel];
      }
    }
  }
}
