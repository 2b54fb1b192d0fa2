/* The middle of a picture in another size. */
#ifndef ET_MODELS_CLASSIFY_RESAMPLE_H_
#define ET_MODELS_CLASSIFY_RESAMPLE_H_

#include <stdbool.h>

#include "models/picture.h"

/* The square in the middle of the picture, whose side is `share` (more than 0, at most 1) of
 * the picture's shorter one, as side x side pixels: bicubic, over as many pixels as make one
 * where it is made smaller. Writes float32 [3, side, side] with whole values from 0 to 255
 * to `out`, rounded after each axis as networks are trained on; false when there is no memory. */
bool picture_resample_middle(const picture *image, float share, int side,
                             float *out);

#endif /* ET_MODELS_CLASSIFY_RESAMPLE_H_ */
