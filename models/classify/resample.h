/* Center crop and scaling of images. */
#ifndef ET_MODELS_CLASSIFY_RESAMPLE_H_
#define ET_MODELS_CLASSIFY_RESAMPLE_H_

#include <stdbool.h>

#include "models/picture.h"

/* Crops the central square of an image and scales it to side x side pixels. The square is `share`
 * (0 < share <= 1) times the shorter side. Scaling is bicubic; the filter widens when it reduces
 * the size. Writes float32 [3, side, side] to `out`, with integers from 0 to 255, rounded after
 * each axis as in training. Returns false if there is not enough memory. */
bool picture_resample_middle(const picture *image, float share, int side,
                             float *out);

#endif /* ET_MODELS_CLASSIFY_RESAMPLE_H_ */
