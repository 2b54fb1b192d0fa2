/* Reductions over some dimensions of a tensor. */
#ifndef ET_KERNELS_UTIL_REDUCE_H_
#define ET_KERNELS_UTIL_REDUCE_H_

#include <stdbool.h>

#include "kernels/util/loop.h"
#include "runtime/core/kernel.h"

/* `kept` and `out` are the input and the result over the dimensions that stay,
 * `reduced` the input over those that go; `count` elements go into each result.
 */
typedef struct et_reduction {
  et_view out;
  et_view kept;
  et_view reduced;
  size_t count;
} et_reduction;

/* Splits `self` by the axes of `dims` (None or empty: all) and resizes `out`.
 */
et_status et_reduction_plan(et_kernel_context *context, const char *what,
                            const et_tensor *self, const et_value *dims,
                            bool keepdim, et_tensor *out,
                            et_reduction *reduction);

/* Computes one result at `out` from the runs of `elements`. */
typedef void (*et_reduce_fn)(const et_reduction *reduction, et_loop *elements,
                             uint8_t *out);

/* Calls `fn` for every result. */
void et_reduction_run(const et_reduction *reduction, et_reduce_fn fn);

#endif /* ET_KERNELS_UTIL_REDUCE_H_ */
