/* Images as inputs of classifiers. */
#ifndef ET_MODELS_IMAGE_H_
#define ET_MODELS_IMAGE_H_

#include <stdbool.h>
#include <stdint.h>

/* An 8-bit RGB image, with rows from top to bottom. `pixels` is owned. Release it with
 * image_free. */
typedef struct rgb_image {
  int width;
  int height;
  uint8_t *pixels; /* height * width * 3 bytes */
} rgb_image;

/* Maximum width and height in pixels that image_read_ppm accepts. */
#define IMAGE_MAX_SIDE 16384

/* Reads a binary PPM file ("P6", 255 levels). On failure, returns false and prints path and reason
 * to stderr. */
bool image_read_ppm(const char *path, rgb_image *out);

void image_free(rgb_image *image);

/* Preprocesses an image as for torchvision's ImageNet classifiers. The shorter side is scaled to
 * resize_side (bilinear), the center crop_side x crop_side is cut out, and values become (value /
 * 255 - mean) / deviation per channel. Writes float32 [3, crop_side, crop_side] to `out`. */
void image_to_tensor(const rgb_image *image, int resize_side, int crop_side,
                     float *out);

#endif /* ET_MODELS_IMAGE_H_ */
