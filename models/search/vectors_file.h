/* Vectors that are kept beside the text they were made of. */
#ifndef ET_MODELS_SEARCH_VECTORS_FILE_H_
#define ET_MODELS_SEARCH_VECTORS_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads `elements` floats that were kept under `key`. False where the file is not there, was
 * made of something else or is damaged: then they have to be made anew. */
bool vectors_read(const char *path, uint64_t key, float *out, size_t elements);

/* Writes a file that is whole or not there at all. On failure returns false and prints why
 * to stderr. */
bool vectors_write(const char *path, uint64_t key, const float *vectors,
                   size_t elements);

#endif /* ET_MODELS_SEARCH_VECTORS_FILE_H_ */
