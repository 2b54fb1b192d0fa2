#include "executorch/random.h"

/* splitmix64 (Steele et al.): derives well-mixed state words from any seed. */
static uint64_t spread(uint64_t *seed) {
  *seed += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t bits = *seed;
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
  return bits ^ (bits >> 31);
}

et_random et_random_seeded(uint64_t seed) {
  et_random random;
  for (int i = 0; i < 4; i++) {
    random.state[i] = spread(&seed);
  }
  return random;
}

static uint64_t rotated(uint64_t bits, int count) {
  return (bits << count) | (bits >> (64 - count));
}

uint64_t et_random_next(et_random *random) {
  uint64_t *s = random->state;
  const uint64_t result = rotated(s[0] + s[3], 23) + s[0];
  const uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotated(s[3], 45);
  return result;
}
