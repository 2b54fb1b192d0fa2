/* Hash function of WordPiece vocabularies. text/generate/vocabulary.py has the same one. */
#ifndef ET_TEXT_WORDPIECE_HASH_H_
#define ET_TEXT_WORDPIECE_HASH_H_

#include <stddef.h>
#include <stdint.h>

typedef struct et_wordpiece_text {
  const char *bytes;
  size_t size;
} et_wordpiece_text;

/* FNV-1a offset basis: the hash of no bytes. */
#define ET_WORDPIECE_HASH 2166136261u

static inline uint32_t et_wordpiece_hash(uint32_t hash,
                                         et_wordpiece_text text) {
  for (size_t i = 0; i < text.size; ++i) {
    hash = (hash ^ (uint8_t)text.bytes[i]) * 16777619u;
  }
  return hash;
}

#endif /* ET_TEXT_WORDPIECE_HASH_H_ */
