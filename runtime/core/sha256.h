/* SHA-256 (FIPS 180-4), a part of the bytes at a time. */
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
  uint64_t length;   /* bytes so far */
  uint8_t block[64]; /* those that fill no block yet */
} et_sha256;

void et_sha256_start(et_sha256 *hash);
void et_sha256_add(et_sha256 *hash, const void *data, size_t size);

/* The digest; `hash` must be started again before it is used. */
void et_sha256_finish(et_sha256 *hash, uint8_t out[ET_SHA256_BYTES]);

#ifdef __cplusplus
}
#endif
#endif /* ET_RUNTIME_CORE_SHA256_H_ */
