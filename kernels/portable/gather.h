/* Indexing by tensors, as in x[:, i, j]: what index and index_put share. */
#ifndef ET_KERNELS_PORTABLE_GATHER_H_
#define ET_KERNELS_PORTABLE_GATHER_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* `self` indexed by a Tensor?[]: a tensor for some dimensions, which broadcast
 * to one shape, nothing for the others. The result has the broadcast dimensions
 * in place of the indexed ones when those stand together, else in front. A mask
 * (bool) for the only index stands for the places where it is true. */
typedef struct et_gather {
  et_view self;
  size_t indexed;               /* how many dimensions of self have an index */
  size_t dims[ET_MAX_RANK];     /* which */
  et_view indices[ET_MAX_RANK]; /* broadcast to the same shape */
  const et_tensor *mask;        /* or NULL */
  size_t mask_count;            /* elements of mask that are true */
  int32_t sizes[ET_MAX_RANK];   /* of the result */
  size_t rank;
  size_t index_first; /* dimension of the result where they begin */
  size_t index_rank;
} et_gather;

/* Checks `list` against `self`, values of the indices included. */
et_status et_gather_plan(et_kernel_context *context, const char *what,
                         const et_tensor *self, const et_value *list,
                         et_gather *gather);

/* How many places are indexed: the product of the broadcast dimensions; 0 where
 * the result has no element, as the indices then need not lie in self. */
size_t et_gather_count(const et_gather *gather);

/* The part of self that place number `i` names: a view of the dimensions
 * without an index. A mask's places must be asked for in order; `*cursor`
 * starts at 0. */
et_view et_gather_self_at(const et_gather *gather, size_t i, size_t *cursor);

/* The same part of a view that has the result's shape. */
et_view et_gather_result_at(const et_gather *gather, const et_view *result,
                            size_t i);

#endif /* ET_KERNELS_PORTABLE_GATHER_H_ */
