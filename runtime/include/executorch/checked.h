/* Arithmetic that detects overflow.
 *
 * Every size and offset from a program file is computed with these
 * functions. */
#ifndef EXECUTORCH_CHECKED_H_
#define EXECUTORCH_CHECKED_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* These functions return false, and leave *out unchanged, if the result
 * overflows. */
static inline bool et_checked_add(size_t a, size_t b, size_t *out) {
  if (b > SIZE_MAX - a) {
    return false;
  }
  *out = a + b;
  return true;
}

static inline bool et_checked_mul(size_t a, size_t b, size_t *out) {
#if defined(__GNUC__)
  size_t product = 0; /* avoids the division */
  if (__builtin_mul_overflow(a, b, &product)) {
    return false;
  }
#else
  const size_t product = a * b;
  if (a != 0 && b > SIZE_MAX / a) {
    return false;
  }
#endif
  *out = product;
  return true;
}

/* Rounds up to a multiple of `alignment`, a power of two. */
static inline bool et_checked_align(size_t value, size_t alignment,
                                    size_t *out) {
  size_t sum = 0;
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 ||
      !et_checked_add(value, alignment - 1, &sum)) {
    return false;
  }
  *out = sum & ~(alignment - 1);
  return true;
}

/* Returns true if [offset, offset + length) is within [0, size).
 *
 * Uses subtraction, because offset + length may overflow. */
static inline bool et_range_in(uint64_t offset, uint64_t length,
                               uint64_t size) {
  return offset <= size && length <= size - offset;
}

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_CHECKED_H_ */
