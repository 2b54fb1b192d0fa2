/* Checks of gathers such as embedding: the shape of the result, and the range of the row indices,
 * which are known only at call time. */
#include "backends/cpu/ops/check.h"

et_status et_cpu_check_gathered(const et_cpu_op *op, const et_cpu_tensor *y,
                                const et_cpu_tensor *indices, int64_t columns,
                                et_error *error) {
  int64_t sizes[ET_CPU_MAX_RANK];
  ET_CPU_CHECK(error, indices->rank < ET_CPU_MAX_RANK,
               "%s: tensor %zu has %d dims, expected fewer than %d",
               op->type->schema->name, et_cpu_tensor_index(op, indices),
               (int)indices->rank, ET_CPU_MAX_RANK);
  for (uint8_t i = 0; i < indices->rank; i++) {
    sizes[i] = indices->sizes[i];
  }
  sizes[indices->rank] = columns;
  return et_cpu_check_shape(op, y, (uint8_t)(indices->rank + 1), sizes, error);
}

bool et_cpu_indices_fit(const et_cpu_op *op, const et_cpu_run *run,
                        const et_cpu_tensor *indices, int64_t rows) {
  for (size_t i = 0; i < indices->numel; i++) {
    const int64_t index = et_cpu_index_at(indices, i);
    if (index < 0 || index >= rows) {
      ET_CPU_FAIL(run, "%s: row %lld is out of range for %lld rows",
                  op->type->schema->name, (long long)index, (long long)rows);
      return false;
    }
  }
  return true;
}
