#include "runtime/core/sha256.h"

#include <string.h>

#include "runtime/core/arithmetic.h"

#define BLOCK_BYTES 64

/* Fractional parts of the cube roots of the first 64 primes. */
static const uint32_t ROUNDS[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu,
    0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u, 0xd807aa98u, 0x12835b01u,
    0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u,
    0xc19bf174u, 0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu,
    0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau, 0x983e5152u,
    0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u,
    0x06ca6351u, 0x14292967u, 0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu,
    0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u,
    0xd6990624u, 0xf40e3585u, 0x106aa070u, 0x19a4c116u, 0x1e376c08u,
    0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu,
    0x682e6ff3u, 0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u,
    0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
};

static uint32_t rotate(uint32_t value, unsigned bits) {
  return value >> bits | value << (32 - bits);
}

static uint32_t big_endian(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
         (uint32_t)bytes[2] << 8 | bytes[3];
}

/* Expands a block's 16 words to the 64 words of the message schedule. */
static void expand(const uint8_t *block, uint32_t words[64]) {
  for (size_t i = 0; i < 16; i++) {
    words[i] = big_endian(block + 4 * i);
  }
  for (size_t i = 16; i < 64; i++) {
    const uint32_t a = words[i - 15];
    const uint32_t b = words[i - 2];
    const uint32_t s0 = rotate(a, 7) ^ rotate(a, 18) ^ a >> 3;
    const uint32_t s1 = rotate(b, 17) ^ rotate(b, 19) ^ b >> 10;
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
}

/* Computes h + Sigma1(e) + Ch(e, f, g), the first part of T1 in FIPS 180-4. */
static uint32_t mix_late(const uint32_t v[8]) {
  const uint32_t sum = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
  return v[7] + sum + ((v[4] & v[5]) ^ (~v[4] & v[6]));
}

static uint32_t mix_early(const uint32_t v[8]) {
  const uint32_t sum = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
  return sum + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
}

static void compress(et_sha256 *hash, const uint8_t *block) {
  uint32_t words[64];
  uint32_t v[8];
  expand(block, words);
  memcpy(v, hash->state, sizeof v);
  for (size_t i = 0; i < 64; i++) {
    const uint32_t late = mix_late(v) + ROUNDS[i] + words[i];
    const uint32_t first = late + mix_early(v);
    v[7] = v[6];
    v[6] = v[5];
    v[5] = v[4];
    v[4] = v[3] + late;
    v[3] = v[2];
    v[2] = v[1];
    v[1] = v[0];
    v[0] = first;
  }
  for (size_t i = 0; i < 8; i++) {
    hash->state[i] += v[i];
  }
}

void et_sha256_start(et_sha256 *hash) {
  /* Fractional parts of the square roots of the first 8 primes. */
  const et_sha256 start = {.state = {
                               0x6a09e667u,
                               0xbb67ae85u,
                               0x3c6ef372u,
                               0xa54ff53au,
                               0x510e527fu,
                               0x9b05688cu,
                               0x1f83d9abu,
                               0x5be0cd19u,
                           }};
  *hash = start;
}

void et_sha256_add(et_sha256 *hash, const void *data, size_t size) {
  const uint8_t *bytes = data;
  while (size != 0) {
    const size_t used = (size_t)(hash->length % BLOCK_BYTES);
    const size_t space = BLOCK_BYTES - used;
    const size_t part = et_min_size(size, space);
    const uint8_t *block = bytes;
    if (part < BLOCK_BYTES) {
      memcpy(hash->block + used, bytes, part);
      block = hash->block;
    }
    if (part == space) {
      compress(hash, block);
    }
    hash->length += part;
    bytes += part;
    size -= part;
  }
}

void et_sha256_finish(et_sha256 *hash, uint8_t out[ET_SHA256_BYTES]) {
  static const uint8_t padding[BLOCK_BYTES] = {0x80};
  const uint64_t bits = hash->length * 8;
  const size_t used = (size_t)(hash->length % BLOCK_BYTES);
  uint8_t length[8];
  for (size_t i = 0; i < 8; i++) {
    length[i] = (uint8_t)(bits >> (56 - 8 * i));
  }
  et_sha256_add(hash, padding, (used < 56 ? 56 : BLOCK_BYTES + 56) - used);
  et_sha256_add(hash, length, sizeof length);
  for (size_t i = 0; i < ET_SHA256_BYTES; i++) {
    out[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
  }
}
