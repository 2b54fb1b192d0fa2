/* Access to elements selected by index tensors or masks. */
#ifndef ET_KERNELS_PORTABLE_INDEXING_H_
#define ET_KERNELS_PORTABLE_INDEXING_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"
#include "executorch/scalar_type.h"

/* ---- Index tensors as in x[:, i, j], for index and index_put ---- */

/* `self` indexed by a Tensor?[]. Each list item indexes a dimension; None means
 * all of it. The index tensors broadcast to one shape. In the result, these
 * dimensions replace the indexed ones if those are adjacent; otherwise, they
 * come first. If the only index is a bool mask, it selects the positions where
 * it is true. */
typedef struct et_gather {
  et_view self;
  size_t indexed;               /* number of indexed dimensions of self */
  size_t dims[ET_MAX_RANK];     /* the indexed dimensions */
  et_view indices[ET_MAX_RANK]; /* broadcast to one shape */
  const et_tensor *mask;        /* or NULL */
  size_t mask_count;            /* number of true elements of mask */
  int32_t sizes[ET_MAX_RANK];   /* sizes of the result */
  size_t rank;
  size_t index_first; /* first index dimension in the result */
  size_t index_rank;
} et_gather;

/* Checks `list`, including the index values, against `self`. */
et_status et_gather_plan(et_kernel_context *context, const char *what,
                         const et_tensor *self, const et_value *list,
                         et_gather *gather);

/* Returns the number of index positions: the product of the broadcast sizes.
 * Returns 0 if the result is empty, because indices are then not checked. */
size_t et_gather_count(const et_gather *gather);

/* Returns the part of self that index position `i` selects: a view of the
 * dimensions without an index. For a mask, call with increasing `i`; `*cursor`
 * starts at 0. */
et_view et_gather_self_at(const et_gather *gather, size_t i, size_t *cursor);

/* Returns the corresponding part of a view with the result's shape. */
et_view et_gather_result_at(const et_gather *gather, const et_view *result,
                            size_t i);

/* ---- Index tensors along one dimension, for gather and scatter ---- */

/* Checks `dim` and `index` against `self`. The ranks must be equal. Except
 * along `dim`, no size of `index` may be larger than that of `self`. Each index
 * must be in [0, size along dim). An empty index is always valid. */
et_status et_along_check(et_kernel_context *context, const char *what,
                         const et_tensor *self, const et_value *dim,
                         const et_tensor *index, size_t *axis);

/* Processes an element of `other` and the corresponding element of self. */
typedef void (*et_along_fn)(et_scalar_type dtype, uint8_t *other,
                            uint8_t *element);

/* Calls `fn` for each element of `index`, in its memory order. `other` must be
 * at least as large as `index` in each dimension. */
void et_along_run(const et_tensor *index, const et_view *other,
                  const et_view *self, size_t axis, et_along_fn fn);

/* Returns INVALID_ARGUMENT unless `src` has the dtype of self and is at least
 * as large as `index` in each dimension. */
et_status et_along_check_source(et_kernel_context *context, const char *what,
                                const et_tensor *self, const et_tensor *index,
                                const et_view *src);

/* Copies self to `out`, then calls `fn` on it with the elements of `src`, a
 * view of the same dtype. `arguments` are self, dim and index. */
et_status et_along_scatter(et_kernel_context *context, const char *what,
                           et_value *const *arguments, const et_view *src,
                           et_along_fn fn, et_tensor *out);

/* An et_along_fn that sets the element to that of `other`. */
void et_along_set(et_scalar_type dtype, uint8_t *other, uint8_t *element);

/* ---- A tensor and a boolean mask, broadcast to one shape ---- */

typedef struct et_mask {
  et_view self; /* self and mask have the same sizes */
  et_view mask;
  size_t numel;
  size_t selected; /* number of true elements of mask */
} et_mask;

/* Returns INVALID_ARGUMENT unless `mask` is bool and broadcasts with `self`. */
et_status et_mask_plan(et_kernel_context *context, const char *what,
                       const et_tensor *self, const et_tensor *mask,
                       et_mask *plan);

/* Returns true if element `i`, in row-major order, is selected. */
bool et_mask_at(const et_mask *plan, size_t i);

/* Copies element `i` of `from` to element `k` of `to`, each in row-major order.
 * Both have the same dtype. */
void et_mask_move(const et_view *from, size_t i, const et_view *to, size_t k);

/* ---- In-place addition to an element ---- */

/* Adds the element at `from` to the one at `to`. Both have `dtype`. Integers
 * wrap; bool is a logical or. */
void et_accumulate(et_scalar_type dtype, const uint8_t *from, uint8_t *to);

/* et_accumulate as an et_along_fn. */
void et_accumulate_along(et_scalar_type dtype, uint8_t *other,
                         uint8_t *element);

#endif /* ET_KERNELS_PORTABLE_INDEXING_H_ */
