#include "executorch/tensor.h"

#include <string.h>

#include "executorch/checked.h"
#include "runtime/core/error.h"

size_t et_tensor_nbytes(const et_tensor *tensor) {
  return tensor->numel * et_scalar_type_size((int32_t)tensor->dtype);
}

bool et_tensor_is_contiguous(const et_tensor *tensor) {
  for (size_t d = 0; d < tensor->rank; d++) {
    if (tensor->dim_order[d] != d) {
      return false;
    }
  }
  return true;
}

static bool same_sizes(const int32_t *a, const int32_t *b, size_t rank) {
  return rank == 0 || memcmp(a, b, rank * sizeof *a) == 0;
}

bool et_tensor_same_shape(const et_tensor *a, const et_tensor *b) {
  return a->rank == b->rank && same_sizes(a->sizes, b->sizes, a->rank);
}

bool et_tensor_same_dim_order(const et_tensor *a, const et_tensor *b) {
  return a->rank == b->rank &&
         (a->rank == 0 || memcmp(a->dim_order, b->dim_order, a->rank) == 0);
}

static et_status check_permutation(const uint8_t *dim_order, size_t rank,
                                   et_error *error) {
  uint32_t seen = 0;
  for (size_t d = 0; d < rank; d++) {
    const unsigned dim = dim_order[d];
    if (dim >= rank || (seen >> dim & 1u) != 0) {
      return et_fail_program(
          error,
          "dim_order[%zu] = %u is not part of a permutation for rank %zu", d,
          dim, rank);
    }
    seen |= 1u << dim;
  }
  return ET_STATUS_OK;
}

/* Computes strides from innermost to outermost. A size of 0 counts as 1, as in
 * PyTorch, so that strides are positive. */
static et_status fill_strides(const int32_t *sizes, const uint8_t *dim_order,
                              size_t rank, int32_t *out_strides,
                              size_t *out_numel, et_error *error) {
  uint64_t stride = 1;
  bool is_empty = false;
  for (size_t d = rank; d-- > 0;) {
    const int32_t size = sizes[dim_order[d]];
    if (size < 0) {
      return et_fail_program(error, "sizes[%u] = %d is negative",
                             (unsigned)dim_order[d], (int)size);
    }
    if (stride > INT32_MAX) {
      return et_fail_program(error, "the stride of dim %u exceeds 32 bits",
                             (unsigned)dim_order[d]);
    }
    out_strides[dim_order[d]] = (int32_t)stride;
    is_empty = is_empty || size == 0;
    /* No overflow: both factors are below 2^31, so the product is below 2^62. */
    stride = (uint64_t)(uint32_t)stride * (size > 1 ? (uint32_t)size : 1u);
  }
  if (is_empty) {
    stride = 0;
  }
  if (stride > SIZE_MAX) {
    return et_fail_program(error, "the element count overflows");
  }
  *out_numel = (size_t)stride;
  return ET_STATUS_OK;
}

et_status et_tensor_layout(const int32_t *sizes, const uint8_t *dim_order,
                           size_t rank, int32_t *out_strides, size_t *out_numel,
                           et_error *error) {
  if (rank > ET_MAX_RANK) {
    return et_fail_program(error, "%zu dims exceed the limit of %d", rank,
                           ET_MAX_RANK);
  }
  ET_RETURN_IF_ERROR(check_permutation(dim_order, rank, error));
  return fill_strides(sizes, dim_order, rank, out_strides, out_numel, error);
}

static et_status check_resize(const et_tensor *tensor, const int32_t *sizes,
                              size_t rank, et_error *error) {
  if (rank != tensor->rank) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "rank %zu is invalid; pass %u dims", rank,
                   (unsigned)tensor->rank);
  }
  for (size_t d = 0; d < rank; d++) {
    if (sizes[d] < 0) {
      return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                     "size %d of dim %zu is negative; pass at least 0",
                     (int)sizes[d], d);
    }
  }
  return ET_STATUS_OK;
}

et_status et_tensor_resize(et_tensor *tensor, const int32_t *sizes, size_t rank,
                           et_error *error) {
  ET_RETURN_IF_ERROR(check_resize(tensor, sizes, rank, error));
  if (same_sizes(tensor->sizes, sizes, rank)) {
    return ET_STATUS_OK;
  }
  if (tensor->dynamism == ET_SHAPE_STATIC) {
    return et_fail(error, ET_STATUS_NOT_SUPPORTED,
                   "a tensor of static shape cannot be resized; export it with "
                   "dynamic shapes");
  }
  int32_t strides[ET_MAX_RANK];
  size_t numel = 0;
  size_t nbytes = 0;
  if (et_tensor_layout(sizes, tensor->dim_order, rank, strides, &numel, NULL) !=
          ET_STATUS_OK ||
      !et_checked_mul(numel, et_scalar_type_size((int32_t)tensor->dtype),
                      &nbytes) ||
      nbytes > tensor->capacity) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "the new sizes exceed the tensor's capacity of %zu bytes; "
                   "export with larger bounds",
                   tensor->capacity);
  }
  memmove(tensor->sizes, sizes, rank * sizeof *sizes);
  memcpy(tensor->strides, strides, rank * sizeof *strides);
  tensor->numel = numel;
  return ET_STATUS_OK;
}
