/* Scans: running results along a dimension, such as cumulative sums. */
#ifndef ET_KERNELS_PORTABLE_SCAN_H_
#define ET_KERNELS_PORTABLE_SCAN_H_

#include "executorch/kernel.h"
#include "executorch/kernels/convert.h"

/* The running result, in each compute type. */
typedef struct et_running {
  int64_t int64;
  double float64;
} et_running;

/* One scan operator. `step` replaces the elements of a chunk by results, in the
 * compute type. */
typedef struct et_scan {
  const char *name; /* for messages */
  void (*step)(et_compute compute, et_running *result, et_chunk *chunk,
               size_t count);
  et_running start;
  bool floating; /* requires floating dtypes */
} et_scan;

/* Scans `self` along `dim`. Elements are first converted to the dtype of `out`.
 * `step` receives them as int64_t or double. */
et_status et_scan_apply(et_kernel_context *context, const et_scan *scan,
                        const et_tensor *self, int64_t dim, et_tensor *out);

#endif /* ET_KERNELS_PORTABLE_SCAN_H_ */
