#include "models/classify/photo.h"

#include <stdio.h>

#include "models/classify/picture_file.h"
#include "models/classify/resample.h"

bool photo_read(const char *path, float share, float *out) {
  picture image;
  if (!picture_read(path, &image)) {
    return false;
  }
  const bool fits = picture_resample_middle(&image, share, PHOTO_SIDE, out);
  picture_free(&image);
  if (!fits) {
    fprintf(stderr, "%s: out of memory\n", path);
  }
  for (int i = 0; fits && i < PHOTO_ELEMENTS; ++i) {
    out[i] = out[i] / 127.5f - 1;
  }
  return fits;
}
