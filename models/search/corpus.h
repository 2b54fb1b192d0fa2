/* The text to search, and the cache file of its vectors. */
#ifndef ET_MODELS_SEARCH_CORPUS_H_
#define ET_MODELS_SEARCH_CORPUS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- A text file, split into lines ---- */

typedef struct corpus_line {
  const char *text;
  size_t size;
} corpus_line;

/* The text is owned. Release it with corpus_free. */
typedef struct corpus {
  char *bytes;
  size_t size;
  corpus_line *lines;
  size_t count;
} corpus;

/* Reads a whole file. On failure, returns false and prints the reason to stderr. */
bool corpus_read(const char *path, corpus *out);

void corpus_free(corpus *text);

/* ---- A cache file of vectors, next to the text they were computed from
 * ---- */

/* Reads `elements` floats that were stored under `key`. Returns false if the file is missing,
 * damaged or for another key. */
bool vectors_read(const char *path, uint64_t key, float *out, size_t elements);

/* Writes the file atomically. On failure, returns false and prints the reason to stderr. */
bool vectors_write(const char *path, uint64_t key, const float *vectors,
                   size_t elements);

/* ---- A non-cryptographic hash that detects changed files ---- */

/* FNV-1a offset basis: the hash of no bytes. */
#define HASH_START 14695981039346656037u

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size);

#endif /* ET_MODELS_SEARCH_CORPUS_H_ */
