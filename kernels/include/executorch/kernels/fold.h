/* Reductions that accumulate one element at a time into a scalar. */
#ifndef EXECUTORCH_KERNELS_FOLD_H_
#define EXECUTORCH_KERNELS_FOLD_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One reduction operator. Integer and bool results accumulate in int64_t,
 * others in double. The take functions add elements to the accumulator at
 * `state`. */
typedef struct et_fold {
  const char *name; /* for messages */
  et_take_fn take_int64;
  et_take_fn take_float64;
  int64_t start_int64; /* result of a reduction of zero elements */
  double start_float64;
  bool needs_elements; /* reject a reduction of zero elements */
} et_fold;

/* Reduces the dimensions `dims` of `self`, which et_reduction_plan reads. NULL
 * means all. Each element is first converted to the dtype of `out`. For a bool
 * result, elements are converted to 0 and 1 in int64_t. */
et_status et_fold_apply(et_kernel_context *context, const et_fold *fold,
                        const et_tensor *self, const et_value *dims,
                        bool keepdim, et_tensor *out);

/* et_fold_apply for operators whose `out` must have the dtype of `self`. */
et_status et_fold_same(et_kernel_context *context, const et_fold *fold,
                       const et_tensor *self, const et_value *dims,
                       bool keepdim, et_tensor *out);

/* Returns INVALID_ARGUMENT unless `dtype` (a ScalarType, or None) is the dtype
 * of `out`. */
et_status et_fold_check_dtype(et_kernel_context *context, const char *what,
                              const et_value *dtype, const et_tensor *out);

/* Defines an et_take_fn that updates the accumulator r with each element x. */
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
