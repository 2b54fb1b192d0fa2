#include "models/classify/photo.h"

#include <stdio.h>

#include "models/classify/picture_file.h"
#include "models/classify/resample.h"

const photo_format kPhotoFormat = {
    PHOTO_SIDE, {0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f}};

bool photo_read_as(const char *path, const photo_format *format, float share,
                   float *out) {
  picture image;
  if (!picture_read(path, &image)) {
    return false;
  }
  const bool fits = picture_resample_middle(&image, share, format->side, out);
  picture_free(&image);
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
