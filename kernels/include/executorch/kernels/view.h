/* Views: other ways to address a tensor's elements without moving them. Slices,
 * permutations and broadcasts are views. Kernels that copy elements create a
 * view, then copy it. */
#ifndef EXECUTORCH_KERNELS_VIEW_H_
#define EXECUTORCH_KERNELS_VIEW_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Element [i0, i1, ...] is at data + dtype size * sum(i[d] * strides[d]). */
typedef struct et_view {
  uint8_t *data;
  et_scalar_type dtype;
  size_t rank;
  int32_t sizes[ET_MAX_RANK];
  int64_t strides[ET_MAX_RANK]; /* in elements; 0 if broadcast */
} et_view;

et_view et_view_of(const et_tensor *tensor);

/* Returns a view whose dimension d is dimension dims[d] of `view`. `dims` is a
 * permutation of 0..rank-1. */
et_view et_view_permute(const et_view *view, const uint8_t *dims);

/* Returns the view of `count` elements start, start + step, ... of dimension
 * `dim`. */
et_view et_view_slice(const et_view *view, size_t dim, int64_t start,
                      int64_t step, int32_t count);

/* Returns the view of the elements with index `index` in dimension `dim`,
 * without that dimension. */
et_view et_view_select(const et_view *view, size_t dim, int64_t index);

/* Sets `out` to `view` broadcast to `rank` `sizes`, aligned at the innermost
 * dimension. Returns false if the view has more dimensions, or a size that
 * neither matches nor is 1. */
bool et_view_expand(const et_view *view, const int32_t *sizes, size_t rank,
                    et_view *out);

/* Returns the offset of element `index`, in row-major order, in elements from
 * data. */
int64_t et_view_offset(const et_view *view, size_t index);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_VIEW_H_ */
