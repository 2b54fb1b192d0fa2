/* Photographs as image classifiers take them. */
#ifndef ET_MODELS_CLASSIFY_PHOTO_H_
#define ET_MODELS_CLASSIFY_PHOTO_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PHOTO_SIDE 224
#define PHOTO_ELEMENTS (3 * PHOTO_SIDE * PHOTO_SIDE)

/* What a network takes: side x side pixels, and for each channel (value / 255 - mean) / deviation. */
typedef struct photo_format {
  int side;
  float mean[3];
  float deviation[3];
} photo_format;

/* EfficientNet-Lite's: 224 pixels, values from -1 to 1. */
extern const photo_format kPhotoFormat;

/* How much of the picture's shorter side the network sees. */
#define PHOTO_SHARE 0.875f

/* Reads a JPEG, PNG or PPM and writes its center, `share` of its shorter side, as float32
 * [3, side, side] to `out`. On failure returns false and prints why to stderr. */
bool photo_read_as(const char *path, const photo_format *format, float share,
                   float *out);

/* The same with kPhotoFormat. */
bool photo_read(const char *path, float share, float *out);

#ifdef __cplusplus
}
#endif

#endif /* ET_MODELS_CLASSIFY_PHOTO_H_ */
