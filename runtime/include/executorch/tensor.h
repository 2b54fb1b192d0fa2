/* Tensors: dense, any dim order, at most ET_MAX_RANK dimensions. */
#ifndef EXECUTORCH_TENSOR_H_
#define EXECUTORCH_TENSOR_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/scalar_type.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The official runtime's limit. */
#define ET_MAX_RANK 16

typedef enum et_shape_dynamism {
  ET_SHAPE_STATIC = 0,        /* sizes never change */
  ET_SHAPE_DYNAMIC_BOUND = 1, /* sizes change up to the loaded upper bound */
} et_shape_dynamism;

/* A view of elements that somebody else owns: the program (constants), planned
 * memory, or the caller (inputs that are not planned).
 *
 * Element [i0, i1, ...] lies at data + dtype size * sum(i[d] * strides[d]).
 * dim_order lists the dimensions from outermost to innermost; strides follow
 * from it and the sizes, so the elements always fill numel * size bytes without
 * gaps. The arrays have `rank` entries and outlive the tensor. */
typedef struct et_tensor {
  void *data;       /* NULL until memory is bound */
  size_t capacity;  /* bytes that may be used at data: the loaded upper bound */
  int32_t *sizes;   /* current sizes, each >= 0 */
  int32_t *strides; /* in elements */
  const uint8_t *dim_order;
  size_t numel; /* product of sizes; 1 for rank 0 */
  et_scalar_type dtype;
  uint8_t rank;
  uint8_t dynamism; /* et_shape_dynamism */
  bool is_constant; /* never written: lies in the program, or is an input that
                       * the caller lends */
} et_tensor;

/* Bytes that the current sizes fill. Cannot wrap: checked when sizes are
 * set. */
size_t et_tensor_nbytes(const et_tensor *tensor);

/* Whether dim_order is 0, 1, 2, ...: C order. */
bool et_tensor_is_contiguous(const et_tensor *tensor);

/* Whether both have the same rank and sizes. */
bool et_tensor_same_shape(const et_tensor *a, const et_tensor *b);

/* Whether both list their dimensions in the same order. */
bool et_tensor_same_dim_order(const et_tensor *a, const et_tensor *b);

/* Sets the sizes and, from them, numel and strides. INVALID_ARGUMENT when rank
 * differs, a size is negative, the product overflows or the result needs more
 * than `capacity` bytes; NOT_SUPPORTED when a static tensor would change. */
et_status et_tensor_resize(et_tensor *tensor, const int32_t *sizes, size_t rank,
                           et_error *error);

/* Computes strides (in elements) of `rank` sizes in `dim_order` and the element
 * count. INVALID_PROGRAM when rank > ET_MAX_RANK, a size is negative, dim_order
 * is no permutation of 0..rank-1, or the count or a stride overflows int32_t or
 * size_t. */
et_status et_tensor_layout(const int32_t *sizes, const uint8_t *dim_order,
                           size_t rank, int32_t *out_strides, size_t *out_numel,
                           et_error *error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_TENSOR_H_ */
