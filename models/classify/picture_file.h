/* Reads images from JPEG, PNG and binary PPM files. */
#ifndef ET_MODELS_CLASSIFY_PICTURE_FILE_H_
#define ET_MODELS_CLASSIFY_PICTURE_FILE_H_

#include <stdbool.h>

#include "models/picture.h"

/* Reads an image file; the first bytes determine the format. Transparency is ignored. On failure,
 * returns false and prints path and reason to stderr. Release the image with picture_free. */
bool picture_read(const char *path, picture *out);

#endif /* ET_MODELS_CLASSIFY_PICTURE_FILE_H_ */
