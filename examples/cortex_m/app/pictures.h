/* Pictures of handwritten digits, in read-only memory. */
#ifndef APP_PICTURES_H_
#define APP_PICTURES_H_

#include <stdint.h>

enum { kPictures = 1797, kPixels = 8 * 8 };

const uint8_t *picture_pixels(int index);
int picture_label(int index);

#endif /* APP_PICTURES_H_ */
