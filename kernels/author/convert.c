#include "executorch/kernels/convert.h"

#include "kernels/author/half.h"

/* X(NAME, type, from, to_int, to_float): how an element of the dtype is read as
 * a number, and stored from an int64_t and from a float or double. */
#define ET_CONVERTIBLE_LIST(X)                                      \
  X(UINT8, uint8_t, AS_IS, LOW_BITS, TRUNCATED)                     \
  X(INT8, int8_t, AS_IS, LOW_BITS, TRUNCATED)                       \
  X(INT16, int16_t, AS_IS, LOW_BITS, TRUNCATED)                     \
  X(INT32, int32_t, AS_IS, LOW_BITS, TRUNCATED)                     \
  X(INT64, int64_t, AS_IS, AS_IS, TRUNCATED)                        \
  X(FLOAT16, uint16_t, et_float16_to_float, TO_FLOAT16, TO_FLOAT16) \
  X(FLOAT32, float, AS_IS, TO_FLOAT, TO_FLOAT)                      \
  X(FLOAT64, double, AS_IS, TO_DOUBLE, TO_DOUBLE)                   \
  X(BOOL, uint8_t, NOT_ZERO, NOT_ZERO, NOT_ZERO)                    \
  X(BFLOAT16, uint16_t, et_bfloat16_to_float, TO_BFLOAT16, TO_BFLOAT16)

#define AS_IS(x) (x)
#define NOT_ZERO(x) ((x) != 0)
#define LOW_BITS(x) ((uint64_t)(x))
#define TRUNCATED(x) ((uint64_t)et_float_to_int64(x))
#define TO_FLOAT(x) ((float)(x))
#define TO_DOUBLE(x) ((double)(x))
#define TO_FLOAT16(x) et_float_to_float16((float)(x))
#define TO_BFLOAT16(x) et_float_to_bfloat16((float)(x))
/* Reading a floating element as an integer. */
#define INTEGER_OF(x)                         \
  _Generic((x),                               \
      float: et_float_to_int64((double)(x)),  \
      double: et_float_to_int64((double)(x)), \
      default: (int64_t)(x))

typedef void (*load_fn)(const uint8_t *in, ptrdiff_t stride, size_t count,
                        void *out);
typedef void (*store_fn)(const void *in, uint8_t *out, ptrdiff_t stride,
                         size_t count);

#define DEFINE_LOAD(name, type, compute, READ)                        \
  static void name(const uint8_t *in, ptrdiff_t stride, size_t count, \
                   void *out) {                                       \
    compute *values = out;                                            \
    for (size_t i = 0; i < count; i++, in += stride) {                \
      values[i] = (compute)READ(*(const type *)(const void *)in);     \
    }                                                                 \
  }

#define DEFINE_STORE(name, type, compute, WRITE)                   \
  static void name(const void *in, uint8_t *out, ptrdiff_t stride, \
                   size_t count) {                                 \
    const compute *values = in;                                    \
    for (size_t i = 0; i < count; i++, out += stride) {            \
      *(type *)(void *)out = (type)WRITE(values[i]);               \
    }                                                              \
  }

#define DEFINE_ALL(NAME, type, from, to_int, to_float)             \
  static inline int64_t integer_of_##NAME(type x) {                \
    return INTEGER_OF(from(x));                                    \
  }                                                                \
  DEFINE_LOAD(load_int64_##NAME, type, int64_t, integer_of_##NAME) \
  DEFINE_LOAD(load_float32_##NAME, type, float, from)              \
  DEFINE_LOAD(load_float64_##NAME, type, double, from)             \
  DEFINE_STORE(store_int64_##NAME, type, int64_t, to_int)          \
  DEFINE_STORE(store_float32_##NAME, type, float, to_float)        \
  DEFINE_STORE(store_float64_##NAME, type, double, to_float)

ET_CONVERTIBLE_LIST(DEFINE_ALL)

typedef struct converters {
  load_fn load[ET_COMPUTE_COUNT];
  store_fn store[ET_COMPUTE_COUNT];
} converters;

/* Indexed by dtype code; empty where a dtype cannot be computed with. */
static const converters table[ET_SCALAR_TYPE_BFLOAT16 + 1] = {
#define TABLE_ROW(NAME, type, from, to_int, to_float)                \
  [ET_SCALAR_TYPE_##NAME] = {                                        \
      {load_int64_##NAME, load_float32_##NAME, load_float64_##NAME}, \
      {store_int64_##NAME, store_float32_##NAME, store_float64_##NAME}},
    ET_CONVERTIBLE_LIST(TABLE_ROW)
#undef TABLE_ROW
};

et_compute et_compute_of(et_scalar_type dtype) {
  if (dtype == ET_SCALAR_TYPE_FLOAT64) {
    return ET_COMPUTE_FLOAT64;
  }
  return et_scalar_type_is_floating(dtype) ? ET_COMPUTE_FLOAT32
                                           : ET_COMPUTE_INT64;
}

bool et_compute_is_stored(et_compute compute, et_scalar_type dtype) {
  static const et_scalar_type stored[ET_COMPUTE_COUNT] = {
      ET_SCALAR_TYPE_INT64, ET_SCALAR_TYPE_FLOAT32, ET_SCALAR_TYPE_FLOAT64};
  return stored[compute] == dtype;
}

bool et_dtype_is_computable(et_scalar_type dtype) {
  return dtype <= ET_SCALAR_TYPE_BFLOAT16 && table[dtype].load[0] != NULL;
}

void et_load_run(et_compute compute, et_scalar_type dtype, const uint8_t *in,
                 ptrdiff_t stride, size_t count, void *out) {
  table[dtype].load[compute](in, stride, count, out);
}

void et_store_run(et_compute compute, const void *in, et_scalar_type dtype,
                  uint8_t *out, ptrdiff_t stride, size_t count) {
  table[dtype].store[compute](in, out, stride, count);
}
