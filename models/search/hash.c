#include "models/search/hash.h"

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
  const uint8_t *byte = bytes;
  for (size_t i = 0; i < size; ++i) {
    hash = (hash ^ byte[i]) * 1099511628211u;
  }
  return hash;
}
