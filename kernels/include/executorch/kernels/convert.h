/* Conversion of runs of elements between their dtype and the type that kernels
 * compute in. */
#ifndef EXECUTORCH_KERNELS_CONVERT_H_
#define EXECUTORCH_KERNELS_CONVERT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/scalar_type.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The type that a kernel computes in. float16 and bfloat16 are computed in
 * float, as in ATen. Integers and bool are computed in int64_t, which gives the
 * same result modulo the width of the narrower type. */
typedef enum et_compute {
  ET_COMPUTE_INT64,
  ET_COMPUTE_FLOAT32,
  ET_COMPUTE_FLOAT64,
} et_compute;

#define ET_COMPUTE_COUNT 3

/* A short array of any compute type. */
#define ET_CHUNK 64
typedef union et_chunk {
  int64_t int64[ET_CHUNK];
  float float32[ET_CHUNK];
  double float64[ET_CHUNK];
} et_chunk;

et_compute et_compute_of(et_scalar_type dtype);

/* Returns true if elements of `dtype` are stored in the type of `compute`. */
bool et_compute_is_stored(et_compute compute, et_scalar_type dtype);

/* Returns true if et_load_run and et_store_run support `dtype`. They never
 * support uint16, uint32 and uint64. They support any other dtype only if a
 * kernel table in the binary lists it. A table lists the dtypes that its
 * programs use. */
bool et_dtype_is_computable(et_scalar_type dtype);

/* Reads `count` elements, `stride` bytes apart, into `out`, an array of the
 * type of `compute`. A stride of 0 repeats one element. Elements of an
 * unsupported dtype are read as 0, so check the dtype first. */
void et_load_run(et_compute compute, et_scalar_type dtype, const uint8_t *in,
                 ptrdiff_t stride, size_t count, void *out);

/* Writes `count` elements of `in`, an array of the type of `compute`, `stride`
 * bytes apart. Does nothing if `dtype` is not supported. Conversion from
 * floating point to integer applies et_float_to_int64, then keeps the low
 * bits, as PyTorch's casts do on 64-bit machines. Conversion to bool is `value
 * != 0`. */
void et_store_run(et_compute compute, const void *in, et_scalar_type dtype,
                  uint8_t *out, ptrdiff_t stride, size_t count);

/* Truncates toward zero and saturates. Returns 0 for NaN. */
static inline int64_t et_float_to_int64(double value) {
  if (value >= -0x1p63 && value < 0x1p63) {
    return (int64_t)value;
  }
  return value < 0 ? INT64_MIN : value > 0 ? INT64_MAX : 0;
}

/* Two's complement arithmetic that wraps, as in PyTorch. */
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
