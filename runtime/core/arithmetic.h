/* Minimum, maximum and rounding division, which evaluate each argument once. */
#ifndef ET_RUNTIME_CORE_ARITHMETIC_H_
#define ET_RUNTIME_CORE_ARITHMETIC_H_

#include <stddef.h>
#include <stdint.h>

static inline size_t et_min_size(size_t a, size_t b) { return a < b ? a : b; }

static inline uint64_t et_min_u64(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

static inline int64_t et_min_i64(int64_t a, int64_t b) { return a < b ? a : b; }

static inline int64_t et_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

/* If an argument is NaN, the result is `b`. */
static inline double et_min_f64(double a, double b) { return a < b ? a : b; }

static inline double et_max_f64(double a, double b) { return a > b ? a : b; }

/* Returns the index of the first element of part `part`, if `total` elements are divided into
 * `parts` parts of similar size. The product has 64 bits, because it may exceed size_t. */
static inline size_t et_first_of_part(size_t total, size_t part, size_t parts) {
  return (size_t)((uint64_t)total * part / parts);
}

/* Returns a / b, rounded up; b > 0. Returns 0 if a is negative. */
static inline int64_t et_divide_up_i64(int64_t a, int64_t b) {
  return a > 0 ? (a + b - 1) / b : 0;
}

#endif /* ET_RUNTIME_CORE_ARITHMETIC_H_ */
