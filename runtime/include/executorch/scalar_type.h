/* Element types of tensors, with the codes of the file format. */
#ifndef EXECUTORCH_SCALAR_TYPE_H_
#define EXECUTORCH_SCALAR_TYPE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, code, bytes per element, PyTorch's name).
 *
 * Only types with at least one byte per element are listed. Programs
 * with other types are rejected. */
#define ET_SCALAR_TYPE_LIST(X)        \
  X(UINT8, 0, 1, "uint8")             \
  X(INT8, 1, 1, "int8")               \
  X(INT16, 2, 2, "int16")             \
  X(INT32, 3, 4, "int32")             \
  X(INT64, 4, 8, "int64")             \
  X(FLOAT16, 5, 2, "float16")         \
  X(FLOAT32, 6, 4, "float32")         \
  X(FLOAT64, 7, 8, "float64")         \
  X(COMPLEX64, 9, 8, "complex64")     \
  X(COMPLEX128, 10, 16, "complex128") \
  X(BOOL, 11, 1, "bool")              \
  X(BFLOAT16, 15, 2, "bfloat16")      \
  X(UINT16, 27, 2, "uint16")          \
  X(UINT32, 28, 4, "uint32")          \
  X(UINT64, 29, 8, "uint64")

typedef enum et_scalar_type {
#define ET_SCALAR_TYPE_ENUM(name, code, bytes, text) \
  ET_SCALAR_TYPE_##name = code,
  ET_SCALAR_TYPE_LIST(ET_SCALAR_TYPE_ENUM)
#undef ET_SCALAR_TYPE_ENUM
} et_scalar_type;

typedef struct et_complex64 {
  float real;
  float imaginary;
} et_complex64;

typedef struct et_complex128 {
  double real;
  double imaginary;
} et_complex128;

/* Returns the bytes per element, or 0 for an unknown code. */
size_t et_scalar_type_size(int32_t code);

/* Returns a name such as "float32", or "unknown" for an unknown code. */
const char *et_scalar_type_name(int32_t code);

/* Returns true for float16, bfloat16, float32 and float64. */
bool et_scalar_type_is_floating(et_scalar_type dtype);

/* Returns true for complex64 and complex128. */
bool et_scalar_type_is_complex(et_scalar_type dtype);

/* Returns the type of a complex type's real and imaginary part, or the type
 * itself. */
et_scalar_type et_scalar_type_of_parts(et_scalar_type dtype);

/* Returns true for integer types; bool is not one of them. */
bool et_scalar_type_is_integral(et_scalar_type dtype);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_SCALAR_TYPE_H_ */
