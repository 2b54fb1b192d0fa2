/* The model, in static memory, and images of handwritten digits. */
#ifndef APP_CLASSIFY_H_
#define APP_CLASSIFY_H_

#include <stdint.h>

#include "executorch/status.h"

enum { kClasses = 10, kImages = 1797, kPixels = 8 * 8 };

et_status classify_load(et_error *error);

/* The logits are valid until the next call. */
et_status classify(const uint8_t *image, const float **out_logits,
                   et_error *error);

/* Returns the index of the largest logit. */
int largest(const float *logits);

/* The images are in read-only memory. */
const uint8_t *image_pixels(int index);
int image_label(int index);

#endif /* APP_CLASSIFY_H_ */
