#include "backends/cpu/ops/indices.h"

#include "backends/cpu/ops/check.h"

et_status et_cpu_check_indices(const et_cpu_op *op, size_t index,
                               et_error *error) {
  const uint8_t dtype = op->tensors[index]->dtype;
  ET_CPU_CHECK(error,
               dtype == ET_SCALAR_TYPE_INT64 || dtype == ET_SCALAR_TYPE_INT32,
               "%s: tensor %zu is %s, expected int64 or int32", op->type->name,
               index, et_scalar_type_name(dtype));
  return ET_STATUS_OK;
}

bool et_cpu_indices_fit(const et_cpu_op *op, const et_cpu_run *run,
                        const et_cpu_tensor *indices, int64_t rows) {
  for (size_t i = 0; i < indices->numel; i++) {
    const int64_t index = et_cpu_index_at(indices, i);
    if (index < 0 || index >= rows) {
      ET_CPU_FAIL(run, "%s: row %lld of a table of %lld", op->type->name,
                  (long long)index, (long long)rows);
      return false;
    }
  }
  return true;
}
