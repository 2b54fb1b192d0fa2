/* A hash that tells changed files from unchanged ones; nobody's fraud. */
#ifndef ET_MODELS_SEARCH_HASH_H_
#define ET_MODELS_SEARCH_HASH_H_

#include <stddef.h>
#include <stdint.h>

/* FNV-1a, of nothing. */
#define HASH_START 14695981039346656037u

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif /* ET_MODELS_SEARCH_HASH_H_ */
