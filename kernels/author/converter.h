/* Conversion between elements of one dtype and the compute types. Each dtype is
 * compiled to a separate object, so that a program links only the converters
 * that its kernel table references. */
#ifndef ET_KERNELS_AUTHOR_CONVERTER_H_
#define ET_KERNELS_AUTHOR_CONVERTER_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/kernels/convert.h"
#include "kernels/author/float16.h"

typedef void (*et_convert_load_fn)(const uint8_t *in, ptrdiff_t stride,
                                   size_t count, void *out);
typedef void (*et_convert_store_fn)(const void *in, uint8_t *out,
                                    ptrdiff_t stride, size_t count);

/* Functions indexed by et_compute. */
typedef struct et_converter {
  et_convert_load_fn load[ET_COMPUTE_COUNT];
  et_convert_store_fn store[ET_COMPUTE_COUNT];
} et_converter;

/* X(NAME, name): dtypes that have a converter, et_converter_<name>. */
#define ET_CONVERTER_LIST(X) \
  X(UINT8, uint8)            \
  X(INT8, int8)              \
  X(INT16, int16)            \
  X(INT32, int32)            \
  X(INT64, int64)            \
  X(FLOAT16, float16)        \
  X(FLOAT32, float32)        \
  X(FLOAT64, float64)        \
  X(BOOL, bool)              \
  X(BFLOAT16, bfloat16)

#define ET_CONVERTER_DECLARE(NAME, name) \
  extern const et_converter et_converter_##name;
ET_CONVERTER_LIST(ET_CONVERTER_DECLARE)

/* Defines et_converter_<name> for elements of `type`. `from` reads an element;
 * `to_int` stores an int64_t, `to_float` a float or double. */
#define ET_CONVERTER_DEFINE(name, type, from, to_int, to_float)               \
  static inline int64_t integer_of(type x) { return ET_INTEGER_OF(from(x)); } \
  ET_CONVERTER_LOAD(load_int64, type, int64_t, integer_of)                    \
  ET_CONVERTER_LOAD(load_float32, type, float, from)                          \
  ET_CONVERTER_LOAD(load_float64, type, double, from)                         \
  ET_CONVERTER_STORE(store_int64, type, int64_t, to_int)                      \
  ET_CONVERTER_STORE(store_float32, type, float, to_float)                    \
  ET_CONVERTER_STORE(store_float64, type, double, to_float)                   \
  const et_converter et_converter_##name = {                                  \
      {load_int64, load_float32, load_float64},                               \
      {store_int64, store_float32, store_float64}};

#define ET_CONVERTER_LOAD(name, type, compute, READ)                  \
  static void name(const uint8_t *in, ptrdiff_t stride, size_t count, \
                   void *out) {                                       \
    compute *values = out;                                            \
    for (size_t i = 0; i < count; i++, in += stride) {                \
      values[i] = (compute)READ(*(const type *)(const void *)in);     \
    }                                                                 \
  }

#define ET_CONVERTER_STORE(name, type, compute, WRITE)             \
  static void name(const void *in, uint8_t *out, ptrdiff_t stride, \
                   size_t count) {                                 \
    const compute *values = in;                                    \
    for (size_t i = 0; i < count; i++, out += stride) {            \
      *(type *)(void *)out = (type)WRITE(values[i]);               \
    }                                                              \
  }

/* Conversions for ET_CONVERTER_DEFINE. */
#define ET_AS_IS(x) (x)
#define ET_NOT_ZERO(x) ((x) != 0)
#define ET_LOW_BITS(x) ((uint64_t)(x))
#define ET_TRUNCATED(x) ((uint64_t)et_float_to_int64(x))
#define ET_TO_FLOAT(x) ((float)(x))
#define ET_TO_DOUBLE(x) ((double)(x))
#define ET_TO_FLOAT16(x) et_float_to_float16((float)(x))
#define ET_TO_BFLOAT16(x) et_float_to_bfloat16((float)(x))

/* Converts an element of any type to int64_t. */
#define ET_INTEGER_OF(x)                      \
  _Generic((x),                               \
      float: et_float_to_int64((double)(x)),  \
      double: et_float_to_int64((double)(x)), \
      default: (int64_t)(x))

/* Definitions of the converters. BUILD.bazel generates a file with one of these
 * macros for each dtype. */
#define ET_DEFINE_CONVERTER_uint8 \
  ET_CONVERTER_DEFINE(uint8, uint8_t, ET_AS_IS, ET_LOW_BITS, ET_TRUNCATED)
#define ET_DEFINE_CONVERTER_int8 \
  ET_CONVERTER_DEFINE(int8, int8_t, ET_AS_IS, ET_LOW_BITS, ET_TRUNCATED)
#define ET_DEFINE_CONVERTER_int16 \
  ET_CONVERTER_DEFINE(int16, int16_t, ET_AS_IS, ET_LOW_BITS, ET_TRUNCATED)
#define ET_DEFINE_CONVERTER_int32 \
  ET_CONVERTER_DEFINE(int32, int32_t, ET_AS_IS, ET_LOW_BITS, ET_TRUNCATED)
#define ET_DEFINE_CONVERTER_int64 \
  ET_CONVERTER_DEFINE(int64, int64_t, ET_AS_IS, ET_AS_IS, ET_TRUNCATED)
#define ET_DEFINE_CONVERTER_float16                                          \
  ET_CONVERTER_DEFINE(float16, uint16_t, et_float16_to_float, ET_TO_FLOAT16, \
                      ET_TO_FLOAT16)
#define ET_DEFINE_CONVERTER_float32 \
  ET_CONVERTER_DEFINE(float32, float, ET_AS_IS, ET_TO_FLOAT, ET_TO_FLOAT)
#define ET_DEFINE_CONVERTER_float64 \
  ET_CONVERTER_DEFINE(float64, double, ET_AS_IS, ET_TO_DOUBLE, ET_TO_DOUBLE)
#define ET_DEFINE_CONVERTER_bool \
  ET_CONVERTER_DEFINE(bool, uint8_t, ET_NOT_ZERO, ET_NOT_ZERO, ET_NOT_ZERO)
#define ET_DEFINE_CONVERTER_bfloat16                            \
  ET_CONVERTER_DEFINE(bfloat16, uint16_t, et_bfloat16_to_float, \
                      ET_TO_BFLOAT16, ET_TO_BFLOAT16)

#endif /* ET_KERNELS_AUTHOR_CONVERTER_H_ */
