/* Photographs as inputs of image classifiers. */
#ifndef ET_MODELS_CLASSIFY_PHOTO_H_
#define ET_MODELS_CLASSIFY_PHOTO_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PHOTO_SIDE 224
#define PHOTO_ELEMENTS (3 * PHOTO_SIDE * PHOTO_SIDE)

/* Input format of a network: side x side pixels, with (value / 255 - mean) / deviation per
 * channel. */
typedef struct photo_format {
  int side;
  float mean[3];
  float deviation[3];
} photo_format;

/* Format of EfficientNet-Lite: 224 pixels, values from -1 to 1. */
extern const photo_format kPhotoFormat;

/* Size of the center crop, relative to the image's shorter side. */
#define PHOTO_SHARE 0.875f

/* Reads a JPEG, PNG or PPM file and writes its center crop as float32 [3, side, side] to `out`. The
 * crop is `share` times the shorter side. On failure, returns false and prints the reason to
 * stderr. */
bool photo_read_as(const char *path, const photo_format *format, float share,
                   float *out);

/* Calls photo_read_as with kPhotoFormat. */
bool photo_read(const char *path, float share, float *out);

#ifdef __cplusplus
}
#endif

#endif /* ET_MODELS_CLASSIFY_PHOTO_H_ */
