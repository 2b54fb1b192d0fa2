/* Incremental SHA-256 (FIPS 180-4). */
#ifndef ET_RUNTIME_CORE_SHA256_H_
#define ET_RUNTIME_CORE_SHA256_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ET_SHA256_BYTES 32

typedef struct et_sha256 {
  uint32_t state[8];
  uint64_t length;   /* bytes hashed so far */
  uint8_t block[64]; /* bytes of an incomplete block */
} et_sha256;

void et_sha256_start(et_sha256 *hash);
void et_sha256_add(et_sha256 *hash, const void *data, size_t size);

/* Writes the digest. Call et_sha256_start before `hash` is used again. */
void et_sha256_finish(et_sha256 *hash, uint8_t out[ET_SHA256_BYTES]);

#ifdef __cplusplus
}
#endif
#endif /* ET_RUNTIME_CORE_SHA256_H_ */
