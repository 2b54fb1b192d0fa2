/* Pictures as classifiers take them. */
#ifndef ET_MODELS_PICTURE_H_
#define ET_MODELS_PICTURE_H_

#include <stdbool.h>
#include <stdint.h>

/* 8-bit RGB rows, top to bottom. `pixels` is owned: release with picture_free. */
typedef struct picture {
  int width;
  int height;
  uint8_t *pixels; /* height * width * 3 bytes */
} picture;

/* Longest side that picture_read_ppm accepts, in pixels. */
#define PICTURE_MAX_SIDE 16384

/* Reads a binary PPM ("P6", 255 levels). On failure returns false and prints why, with
 * the path, to stderr. */
bool picture_read_ppm(const char *path, picture *out);

void picture_free(picture *image);

/* The preparation that torchvision's ImageNet classifiers are trained with: shorter side
 * scaled to resize_side (bilinear), the crop_side x crop_side centre, values in [0, 1], then
 * (value - mean) / deviation a channel. Writes float32 [3, crop_side, crop_side] to `out`. */
void picture_to_tensor(const picture *image, int resize_side, int crop_side,
                       float *out);

#endif /* ET_MODELS_PICTURE_H_ */
