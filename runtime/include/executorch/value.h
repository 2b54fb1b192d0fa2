/* Values: the entries of a method's value table, and the arguments of
 * kernels. */
#ifndef EXECUTORCH_VALUE_H_
#define EXECUTORCH_VALUE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/span.h"
#include "executorch/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(NAME, code, text). The codes are the union tags of the file format
 * (KernelTypes). */
#define ET_VALUE_TAG_LIST(X)     \
  X(NONE, 1, "None")             \
  X(INT, 2, "int")               \
  X(BOOL, 3, "bool")             \
  X(DOUBLE, 4, "float")          \
  X(TENSOR, 5, "Tensor")         \
  X(STRING, 6, "str")            \
  X(INT_LIST, 7, "int[]")        \
  X(DOUBLE_LIST, 8, "float[]")   \
  X(BOOL_LIST, 9, "bool[]")      \
  X(TENSOR_LIST, 10, "Tensor[]") \
  X(OPTIONAL_TENSOR_LIST, 11, "Tensor?[]")

typedef enum et_value_tag {
#define ET_VALUE_TAG_ENUM(name, code, text) ET_VALUE_##name = code,
  ET_VALUE_TAG_LIST(ET_VALUE_TAG_ENUM)
#undef ET_VALUE_TAG_ENUM
} et_value_tag;

struct et_value;

/* A list whose items are other values of the method.
 *
 * The elements of an INT_LIST are ints, which may be computed at run time. The
 * elements of a tensor list are tensors; NULL is an absent optional tensor. */
typedef struct et_value_list {
  struct et_value *const *items;
  size_t size;
} et_value_list;

/* Unaligned little-endian values in the program file. Read them with
 * et_double_list_at and et_bool_list_at. */
typedef struct et_packed_list {
  const uint8_t *data;
  size_t size; /* elements */
} et_packed_list;

typedef struct et_value {
  et_value_tag tag;
  union {
    int64_t as_int;
    bool as_bool;
    double as_double;
    et_tensor *as_tensor;
    et_string as_string;
    et_value_list as_list;    /* INT_LIST, TENSOR_LIST, OPTIONAL_TENSOR_LIST */
    et_packed_list as_packed; /* DOUBLE_LIST, BOOL_LIST */
  } u;
} et_value;

/* Returns a name such as "Tensor", or "unknown" for an unknown tag. */
const char *et_value_tag_name(int32_t tag);

/* Returns element `index` of an INT_LIST. index < size. */
static inline int64_t et_int_list_at(const et_value *list, size_t index) {
  return list->u.as_list.items[index]->u.as_int;
}

/* Return element `index` of a DOUBLE_LIST or BOOL_LIST. index < size. */
double et_double_list_at(const et_value *list, size_t index);
bool et_bool_list_at(const et_value *list, size_t index);

/* Returns the value of an INT, BOOL or DOUBLE. */
double et_scalar_to_double(const et_value *value);

/* Returns the value of an INT, BOOL or DOUBLE as an integer. A DOUBLE is
 * truncated toward zero and saturates. */
int64_t et_scalar_to_int(const et_value *value);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_VALUE_H_ */
