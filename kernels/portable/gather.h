/* Indexing by tensors, as in x[:, i, j], for index and index_put. */
#ifndef ET_KERNELS_PORTABLE_GATHER_H_
#define ET_KERNELS_PORTABLE_GATHER_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

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
  int32_t sizes[ET_MAX_RANK];   /* of the result */
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

#endif /* ET_KERNELS_PORTABLE_GATHER_H_ */
