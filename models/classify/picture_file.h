/* Pictures out of files: JPEG, PNG, and binary PPM. */
#ifndef ET_MODELS_CLASSIFY_PICTURE_FILE_H_
#define ET_MODELS_CLASSIFY_PICTURE_FILE_H_

#include <stdbool.h>

#include "models/picture.h"

/* Reads a file of any of these kinds, which its first bytes tell; transparency is left out.
 * On failure returns false and prints why, with the path, to stderr. Release with
 * picture_free. */
bool picture_read(const char *path, picture *out);

#endif /* ET_MODELS_CLASSIFY_PICTURE_FILE_H_ */
