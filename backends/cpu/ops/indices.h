/* Row indices, int64 or int32. Their values are known only at call time. */
#ifndef BACKENDS_CPU_OPS_INDICES_H_
#define BACKENDS_CPU_OPS_INDICES_H_

#include <stdbool.h>

#include "backends/cpu/ops/op.h"

/* Checks that y is [..., columns] if the indices are [...]. */
et_status et_cpu_check_gathered(const et_cpu_op *op, const et_cpu_tensor *y,
                                const et_cpu_tensor *indices, int64_t columns,
                                et_error *error);

/* Returns element `i`. */
static inline int64_t et_cpu_index_at(const et_cpu_tensor *indices, size_t i) {
  return indices->dtype == ET_SCALAR_TYPE_INT64
             ? ((const int64_t *)indices->data)[i]
             : ((const int32_t *)indices->data)[i];
}

/* Returns whether all indices are in `0..rows - 1`. If not, sets the fault of the call. */
bool et_cpu_indices_fit(const et_cpu_op *op, const et_cpu_run *run,
                        const et_cpu_tensor *indices, int64_t rows);

#endif /* BACKENDS_CPU_OPS_INDICES_H_ */
