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

/* `kept` and `outs` are the input and the results over the dimensions that
 * stay, `reduced` the input over those that go; `count` elements go into each
 * result. */
typedef struct et_reduction {
  et_view outs[ET_REDUCE_OUTS];
  size_t out_count;
  et_view kept;
  et_view reduced;
  size_t count;
} et_reduction;

/* Splits `self` by the axes of `dims` (one INT, or a list; NULL, None or empty:
 * all) and resizes `out`, and `second` unless it is NULL. */
et_status et_reduction_plan(et_kernel_context *context, const char *what,
                            const et_tensor *self, const et_value *dims,
                            bool keepdim, et_tensor *out, et_tensor *second,
                            et_reduction *reduction);

/* INVALID_ARGUMENT where a result is of no element: the largest of nothing. */
et_status et_reduction_has_elements(et_kernel_context *context,
                                    const char *what,
                                    const et_reduction *reduction);

/* Computes one result at `outs` from the runs of `elements`. */
typedef void (*et_reduce_fn)(const et_reduction *reduction, et_loop *elements,
                             uint8_t *const *outs, const void *state);

/* Calls `fn` for every result. */
void et_reduction_run(const et_reduction *reduction, et_reduce_fn fn,
                      const void *state);

/* Takes up to a chunk of elements, in the type they are asked for. */
typedef void (*et_take_fn)(void *state, const et_chunk *chunk, size_t count);

/* Gives `take` all elements of the nest, which have `dtype`. */
void et_take_elements(et_loop *elements, et_scalar_type dtype,
                      et_compute compute, et_take_fn take, void *state);

/* Sum of (x - shift) over the elements, or of its square. */
double et_sum_elements(et_loop elements, et_scalar_type dtype, double shift,
                       bool squared);

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_REDUCE_H_ */
