/* Running results along a dimension: each of the elements up to it. */
#ifndef ET_KERNELS_PORTABLE_SCAN_H_
#define ET_KERNELS_PORTABLE_SCAN_H_

#include "executorch/kernel.h"
#include "executorch/kernels/convert.h"

/* The result so far, in the type that elements are taken in. */
typedef struct et_running {
  int64_t int64;
  double float64;
} et_running;

/* One operator: `step` turns the elements of a chunk, of that type, into results. */
typedef struct et_scan {
  const char *name; /* for messages */
  void (*step)(et_compute compute, et_running *result, et_chunk *chunk,
               size_t count);
  et_running start;
  bool floating; /* elements and out may have no other dtype */
} et_scan;

/* Scans `self` along `dim`. Elements are converted to the dtype of `out` first, which
 * is int64 or double to `step`. */
et_status et_scan_apply(et_kernel_context *context, const et_scan *scan,
                        const et_tensor *self, int64_t dim, et_tensor *out);

#endif /* ET_KERNELS_PORTABLE_SCAN_H_ */
