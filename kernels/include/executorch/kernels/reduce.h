/* Reductions over some dimensions of a tensor. */
#ifndef EXECUTORCH_KERNELS_REDUCE_H_
#define EXECUTORCH_KERNELS_REDUCE_H_

#include <stdbool.h>

#include "executorch/kernel.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_REDUCE_OUTS 2

/* `kept` is the input over the dimensions that are not reduced, and `outs` the
 * results over the same dimensions. `reduced` is the input over the reduced
 * dimensions. Each result is computed from `count` elements. */
typedef struct et_reduction {
  et_view outs[ET_REDUCE_OUTS];
  size_t out_count;
  et_view kept;
  et_view reduced;
  size_t count;
} et_reduction;

/* Splits the dimensions of `self` into reduced and kept ones, and resizes `out`
 * and `second`. `second` may be NULL. `dims` is an INT or an INT_LIST; NULL,
 * None and an empty list mean all dimensions. */
et_status et_reduction_plan(et_kernel_context *context, const char *what,
                            const et_tensor *self, const et_value *dims,
                            bool keepdim, et_tensor *out, et_tensor *second,
                            et_reduction *reduction);

/* Returns INVALID_ARGUMENT if a result would be computed from zero elements.
 * Operators without a neutral element, such as max, call this function. */
et_status et_reduction_has_elements(et_kernel_context *context,
                                    const char *what,
                                    const et_reduction *reduction);

/* Computes one result at `outs` from the runs of `elements`. */
typedef void (*et_reduce_fn)(const et_reduction *reduction, et_loop *elements,
                             uint8_t *const *outs, const void *state);

/* Calls `fn` for each result. */
void et_reduction_run(const et_reduction *reduction, et_reduce_fn fn,
                      const void *state);

/* Consumes `count` <= ET_CHUNK elements, in the compute type that was
 * requested. */
typedef void (*et_take_fn)(void *state, const et_chunk *chunk, size_t count);

/* Passes all elements of the loop nest, converted from `dtype` to `compute`, to
 * `take`. */
void et_take_elements(et_loop *elements, et_scalar_type dtype,
                      et_compute compute, et_take_fn take, void *state);

/* Returns the sum of (x - shift), or of (x - shift)^2 if `squared` is true. */
double et_sum_elements(et_loop elements, et_scalar_type dtype, double shift,
                       bool squared);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_REDUCE_H_ */
