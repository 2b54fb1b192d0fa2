/* Reductions that take one element after the other into a number. */
#ifndef EXECUTORCH_KERNELS_FOLD_H_
#define EXECUTORCH_KERNELS_FOLD_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One operator: results that are integers or bool are folded in int64_t, the
 * others in double. `take` adds elements to the number at `state`. */
typedef struct et_fold {
  const char *name; /* for messages */
  et_take_fn take_int64;
  et_take_fn take_float64;
  int64_t start_int64; /* the result of no element */
  double start_float64;
  bool needs_elements; /* there is no result of no element */
} et_fold;

/* Reduces the dimensions `dims` of `self` (as et_reduction_plan reads them;
 * NULL for all). Elements are converted to the dtype of `out` first; to bool,
 * they are 0 and 1 in int64_t. */
et_status et_fold_apply(et_kernel_context *context, const et_fold *fold,
                        const et_tensor *self, const et_value *dims,
                        bool keepdim, et_tensor *out);

/* The same, where `out` must have the dtype of `self`. */
et_status et_fold_same(et_kernel_context *context, const et_fold *fold,
                       const et_tensor *self, const et_value *dims,
                       bool keepdim, et_tensor *out);

/* INVALID_ARGUMENT unless `dtype` (ScalarType, or None) is that of `out`. */
et_status et_fold_check_dtype(et_kernel_context *context, const char *what,
                              const et_value *dtype, const et_tensor *out);

/* Define an et_take_fn that sets r from the element x. */
#define ET_FOLD_TAKE(fn, type, member, formula)                      \
  static void fn(void *state, const et_chunk *chunk, size_t count) { \
    type r = *(type *)state;                                         \
    for (size_t i = 0; i < count; i++) {                             \
      const type x = chunk->member[i];                               \
      r = (formula);                                                 \
    }                                                                \
    *(type *)state = r;                                              \
  }

#ifdef __cplusplus
}
#endif

#endif /* EXECUTORCH_KERNELS_FOLD_H_ */
