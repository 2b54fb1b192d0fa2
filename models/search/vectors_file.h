/* A cache file of vectors, next to the text from which they were computed. */
#ifndef ET_MODELS_SEARCH_VECTORS_FILE_H_
#define ET_MODELS_SEARCH_VECTORS_FILE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads `elements` floats that were stored under `key`. Returns false if the file is missing,
 * damaged or for another key. */
bool vectors_read(const char *path, uint64_t key, float *out, size_t elements);

/* Writes the file atomically. On failure, returns false and prints the reason to stderr. */
bool vectors_write(const char *path, uint64_t key, const float *vectors,
                   size_t elements);

#endif /* ET_MODELS_SEARCH_VECTORS_FILE_H_ */
