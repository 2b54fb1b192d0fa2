/* Dense tensors of any dim order and up to ET_MAX_RANK dimensions. */
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

/* The same limit as ExecuTorch's runtime. */
#define ET_MAX_RANK 16

typedef enum et_shape_dynamism {
  ET_SHAPE_STATIC = 0,        /* fixed sizes */
  ET_SHAPE_DYNAMIC_BOUND = 1, /* sizes vary up to the loaded ones */
} et_shape_dynamism;

/* A view of elements.
 *
 * The elements belong to the program (constants), to planned memory, or to the
 * caller (unplanned inputs and outputs).
 *
 * Element [i0, i1, ...] is at data + dtype size * sum(i[d] * strides[d]).
 * dim_order lists the dimensions from outermost to innermost. dim_order and
 * sizes determine the strides, so the elements fill numel * size bytes without
 * gaps. The arrays have `rank` entries and outlive the tensor. */
typedef struct et_tensor {
  void *data;       /* NULL until memory is bound */
  size_t capacity;  /* usable bytes at data, for the upper bound of the sizes */
  int32_t *sizes;   /* current sizes, >= 0 */
  int32_t *strides; /* in elements */
  const uint8_t *dim_order;
  size_t numel; /* product of sizes; 1 for rank 0 */
  et_scalar_type dtype;
  uint8_t rank;
  uint8_t dynamism; /* et_shape_dynamism */
  /* Never written: in the program, or a caller-provided input. */
  bool is_constant;
} et_tensor;

/* Returns the size in bytes. It cannot overflow, because resizing rejects such
 * sizes. */
size_t et_tensor_nbytes(const et_tensor *tensor);

/* Returns true if dim_order is 0, 1, 2, ... (C order). */
bool et_tensor_is_contiguous(const et_tensor *tensor);

/* Returns true if both have the same rank and sizes. */
bool et_tensor_same_shape(const et_tensor *a, const et_tensor *b);

/* Returns true if both have the same dim order. */
bool et_tensor_same_dim_order(const et_tensor *a, const et_tensor *b);

/* Sets the sizes, and updates numel and strides.
 *
 * INVALID_ARGUMENT: the rank differs, a size is negative, the element count
 * overflows, or the result exceeds `capacity`. NOT_SUPPORTED: the tensor is
 * static and its sizes would change. */
et_status et_tensor_resize(et_tensor *tensor, const int32_t *sizes, size_t rank,
                           et_error *error);

/* Computes the strides, in elements, and the element count.
 *
 * INVALID_PROGRAM: rank > ET_MAX_RANK, a size is negative, dim_order is not a
 * permutation of 0..rank-1, or the count or a stride overflows. */
et_status et_tensor_layout(const int32_t *sizes, const uint8_t *dim_order,
                           size_t rank, int32_t *out_strides, size_t *out_numel,
                           et_error *error);

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_TENSOR_H_ */
