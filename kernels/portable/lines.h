/* Operators that work along one dimension. */
#ifndef ET_KERNELS_PORTABLE_LINES_H_
#define ET_KERNELS_PORTABLE_LINES_H_

#include <stdbool.h>

#include "executorch/kernel.h"
#include "executorch/kernels/convert.h"

/* ---- softmax and log_softmax ---- */

/* Computes exp(x - max) / sum(exp(x - max)) along `dim`, or its logarithm, in
 * double. The dtypes must be floating-point. */
et_status et_softmax_run(et_kernel_context *context, const char *what,
                         const et_tensor *self, int64_t dim, bool logarithm,
                         et_tensor *out);

/* ---- Scans, such as cumulative sums ---- */

/* The running result, in each compute type. */
typedef struct et_running {
  int64_t int64;
  double float64;
} et_running;

/* One scan operator. `step` replaces the elements of a chunk with results, in
 * the compute type. */
typedef struct et_scan {
  const char *name; /* for messages */
  void (*step)(et_compute compute, et_running *result, et_chunk *chunk,
               size_t count);
  et_running start;
  bool floating; /* requires floating-point dtypes */
} et_scan;

/* Scans `self` along `dim`. Elements are first converted to the dtype of `out`.
 * `step` receives them as int64_t or double. */
et_status et_scan_apply(et_kernel_context *context, const et_scan *scan,
                        const et_tensor *self, int64_t dim, et_tensor *out);

/* ---- Sort and top-k ---- */

/* Writes the first `k` elements in sort order of each line of self along `dim`
 * to `values`, and their int64 indices to `indices`. Resizes both. `values` may
 * be NULL. NaN is greater than any number, and equal elements are ordered by
 * index. Needs no scratch. Makes O(length * log(k)) comparisons per line. */
et_status et_order_first(et_kernel_context *context, const char *what,
                         const et_tensor *self, int64_t dim, int64_t k,
                         bool largest, et_tensor *values, et_tensor *indices);

#endif /* ET_KERNELS_PORTABLE_LINES_H_ */
