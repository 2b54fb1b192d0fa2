#include <stdint.h>

#include "executorch/kernels/operator.h"

/* Unsigned, because the magnitude of INT64_MIN does not fit int64_t. */
static uint64_t magnitude(int64_t x) {
  return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static int64_t greatest_common_divisor(int64_t x, int64_t y) {
  uint64_t a = magnitude(x);
  uint64_t b = magnitude(y);
  while (b != 0) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return (int64_t)a;
}

ET_OPERATOR_INTEGER(gcd, greatest_common_divisor(x, y))
ET_KERNEL_BINARY(gcd, out)
