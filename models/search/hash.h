/* A hash that detects changed files. It is not cryptographic. */
#ifndef ET_MODELS_SEARCH_HASH_H_
#define ET_MODELS_SEARCH_HASH_H_

#include <stddef.h>
#include <stdint.h>

/* FNV-1a offset basis: the hash of no bytes. */
#define HASH_START 14695981039346656037u

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif /* ET_MODELS_SEARCH_HASH_H_ */
