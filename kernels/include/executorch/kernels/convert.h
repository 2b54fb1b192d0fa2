/* Runs of elements of any dtype to and from the types kernels compute in. */
#ifndef EXECUTORCH_KERNELS_CONVERT_H_
#define EXECUTORCH_KERNELS_CONVERT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/scalar_type.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What elements are computed in: float16 and bfloat16 in float, as ATen does,
 * and all integers and bool in int64_t, whose results are the same modulo the
 * width of the narrower type. */
typedef enum et_compute {
  ET_COMPUTE_INT64,
  ET_COMPUTE_FLOAT32,
  ET_COMPUTE_FLOAT64,
} et_compute;

#define ET_COMPUTE_COUNT 3

/* A short array of any of these types. */
#define ET_CHUNK 64
typedef union et_chunk {
  int64_t int64[ET_CHUNK];
  float float32[ET_CHUNK];
  double float64[ET_CHUNK];
} et_chunk;

et_compute et_compute_of(et_scalar_type dtype);

/* Whether elements of `dtype` are stored as `compute` has them. */
bool et_compute_is_stored(et_compute compute, et_scalar_type dtype);

/* Whether et_load_run and et_store_run know `dtype`. Unsigned integers of more
 * than 8 bits they never do; of the others those that a kernel table of the
 * binary names, which are those that its programs have. */
bool et_dtype_is_computable(et_scalar_type dtype);

/* Reads `count` elements that lie `stride` bytes apart (0 repeats one) into
 * `out`, an array of the type of `compute`. A dtype that is not known reads as
 * 0, and is not written below: check it before. */
void et_load_run(et_compute compute, et_scalar_type dtype, const uint8_t *in,
                 ptrdiff_t stride, size_t count, void *out);

/* Writes `count` elements of `in`, an array of the type of `compute`, `stride`
 * bytes apart. Floating to integer goes through et_float_to_int64 and keeps the
 * low bits, as PyTorch's casts do on 64-bit machines; to bool is != 0. */
void et_store_run(et_compute compute, const void *in, et_scalar_type dtype,
                  uint8_t *out, ptrdiff_t stride, size_t count);

/* Truncates toward zero; saturates; 0 for NaN. */
static inline int64_t et_float_to_int64(double value) {
  if (value >= -0x1p63 && value < 0x1p63) {
    return (int64_t)value;
  }
  return value < 0 ? INT64_MIN : value > 0 ? INT64_MAX : 0;
}

/* Two's complement arithmetic that wraps, as PyTorch's integers do. */
static inline int64_t et_wrap_add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t et_wrap_sub(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t et_wrap_mul(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a * (uint64_t)b);
}

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_CONVERT_H_ */
