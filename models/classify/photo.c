#include "models/classify/photo.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/image.h"
#include "stb_image.h"

/* ---- Files ---- */

/* Source of bytes for stb_image. */
typedef struct source {
  FILE *file;
  bool exhausted; /* more bytes were requested than the file has */
} source;

static int read_more(void *user, char *data, int size) {
  source *from = user;
  const size_t count = fread(data, 1, (size_t)size, from->file);
  from->exhausted = from->exhausted || count == 0;
  return (int)count;
}

static void skip(void *user, int count) {
  const source *from = user;
  fseek(from->file, count, SEEK_CUR);
}

static int at_end(void *user) {
  const source *from = user;
  return feof(from->file);
}

static const stbi_io_callbacks kCalls = {read_more, skip, at_end};

/* Limits of image size, because a small file can contain a very large image. While decoding,
 * stb_image allocates up to 3 * kMaxBytes. */
static const int64_t kMaxPixels = (int64_t)1 << 26;
static const int64_t kMaxBytes = (int64_t)1 << 28;

typedef struct image_header {
  int width;
  int height;
  int channels;
  bool is_16_bit;
} image_header;

/* Reads the header, and rewinds the file to its start. Returns false if the
 * file is not an image. */
static bool read_header(FILE *file, image_header *out) {
  source from = {file, false};
  rewind(file);
  out->is_16_bit = stbi_is_16_bit_from_callbacks(&kCalls, &from) != 0;
  rewind(file);
  const int found = stbi_info_from_callbacks(&kCalls, &from, &out->width,
                                             &out->height, &out->channels);
  rewind(file);
  return found != 0;
}

static bool is_too_large(const image_header *header) {
  const int64_t pixels = (int64_t)header->width * header->height;
  return pixels > kMaxPixels ||
         pixels * header->channels * (header->is_16_bit ? 2 : 1) > kMaxBytes;
}

/* Prints the reason for a file that cannot be read. `reason` is stb_image's
 * message. */
static void tell(const char *path, const source *from, const char *reason) {
  image_header header;
  if (!read_header(from->file, &header)) {
    fprintf(stderr,
            "%s: not a readable JPEG, PNG or binary PPM (%s); convert it, for "
            "example: convert photo.heic photo.jpg\n",
            path, reason);
  } else if (from->exhausted) {
    fprintf(stderr, "%s: the image is truncated\n", path);
  } else {
    fprintf(stderr, "%s: the image is damaged (%s)\n", path, reason);
  }
}

/* Reads a JPEG or PNG. free() can release stb_image's memory, because the library uses malloc.
 * stb_image decodes some truncated files without an error, with gray pixels at the end; `exhausted`
 * detects them. */
static bool read_compressed(const char *path, FILE *file, rgb_image *out) {
  source from = {file, false};
  image_header header;
  int channels = 0;
  if (read_header(file, &header) && is_too_large(&header)) {
    fprintf(
        stderr,
        "%s: the image has %d x %d pixels, more than 64 million or 256 MiB; "
        "scale it down, for example: convert -resize 4096x4096 in.png "
        "out.png\n",
        path, header.width, header.height);
    return false;
  }
  out->pixels = stbi_load_from_callbacks(&kCalls, &from, &out->width,
                                         &out->height, &channels, 3);
  if (out->pixels != NULL && !from.exhausted) {
    return true;
  }
  tell(path, &from, stbi_failure_reason());
  image_free(out);
  return false;
}

static bool is_empty(FILE *file) {
  const bool empty = fgetc(file) == EOF;
  rewind(file);
  return empty;
}

static bool is_ppm(FILE *file) {
  const bool found = fgetc(file) == 'P' && fgetc(file) == '6';
  rewind(file);
  return found;
}

static bool read_file(const char *path, FILE *file, rgb_image *out) {
  if (is_empty(file)) {
    fprintf(stderr, "%s: the file is empty\n", path);
    return false;
  }
  return is_ppm(file) ? image_read_ppm(path, out)
                      : read_compressed(path, file, out);
}

/* Reads an image file; the first bytes determine the format. Transparency is ignored. On failure,
 * returns false and prints path and reason to stderr. Release the image with image_free. */
static bool image_read(const char *path, rgb_image *out) {
  *out = (rgb_image){0, 0, NULL};
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    perror(path);
    return false;
  }
  const bool read = read_file(path, file, out);
  fclose(file);
  return read;
}

/* ---- Center crop and scaling ---- */

enum {
  /* Maximum number of filter taps: a sample spans up to IMAGE_MAX_SIDE pixels,
   * and the filter covers two samples on each side, plus one tap at each
   * end. */
  kMaxTaps = 4 * IMAGE_MAX_SIDE + 2,
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
  int size; /* size of the image */
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
  const float center = along->start + ((float)sample + 0.5f) * along->scale;
  const int first = (int)(center - 2 * width + 0.5f);
  const int last = (int)(center + 2 * width + 0.5f);
  out->first = first > 0 ? first : 0;
  out->count = (last < along->size ? last : along->size) - out->first;
  float sum = 0;
  for (int i = 0; i < out->count; ++i) {
    const float place = (float)(out->first + i) + 0.5f;
    out->weights[i] = cubic((place - center) / width);
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
static void resample_column(const rgb_image *image, const taps *across,
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

/* Crops the central square of an image and scales it to side x side pixels. The square is `share`
 * (0 < share <= 1) times the shorter side. Scaling is bicubic; the filter widens when it reduces
 * the size. Writes float32 [3, side, side] to `out`: integers from 0 to 255. Values are rounded
 * after each axis, as in training. Returns false if there is not enough memory. */
static bool image_resample_middle(const rgb_image *image, float share, int side,
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

/* ---- Photographs ---- */

const photo_format kPhotoFormat = {
    PHOTO_SIDE, {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};

bool photo_read_as(const char *path, const photo_format *format, float share,
                   float *out) {
  rgb_image image;
  if (!image_read(path, &image)) {
    return false;
  }
  const bool fits = image_resample_middle(&image, share, format->side, out);
  image_free(&image);
  if (!fits) {
    fprintf(stderr, "%s: out of memory\n", path);
  }
  const int pixels = format->side * format->side;
  for (int channel = 0; fits && channel < 3; ++channel) {
    const float divisor = 255 * format->deviation[channel];
    const float offset = format->mean[channel] / format->deviation[channel];
    for (int i = 0; i < pixels; ++i) {
      float *value = &out[channel * pixels + i];
      *value = *value / divisor - offset;
    }
  }
  return fits;
}

bool photo_read(const char *path, float share, float *out) {
  return photo_read_as(path, &kPhotoFormat, share, out);
}
