/* Photographs as EfficientNet-Lite takes them. */
#ifndef ET_MODELS_CLASSIFY_PHOTO_H_
#define ET_MODELS_CLASSIFY_PHOTO_H_

#include <stdbool.h>

#define PHOTO_SIDE 224
#define PHOTO_ELEMENTS (3 * PHOTO_SIDE * PHOTO_SIDE)

/* How much of the picture's shorter side the network sees. */
#define PHOTO_SHARE 0.875f

/* Reads a JPEG, PNG or PPM and writes its middle, `share` of its shorter side, as float32
 * [3, 224, 224] with values from -1 to 1 to `out`. On failure returns false and prints why
 * to stderr. */
bool photo_read(const char *path, float share, float *out);

#endif /* ET_MODELS_CLASSIFY_PHOTO_H_ */
