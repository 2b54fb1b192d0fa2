#include "backends/cpu/ops/parameters.h"

#include "backends/cpu/ops/check.h"

et_scalar_type et_cpu_parameters_dtype(const et_cpu_op *op, size_t index) {
  const et_scalar_type dtype = (et_scalar_type)op->tensors[index]->dtype;
  return dtype == ET_SCALAR_TYPE_FLOAT16 || dtype == ET_SCALAR_TYPE_BFLOAT16
             ? dtype
             : ET_SCALAR_TYPE_FLOAT32;
}

et_status et_cpu_check_parameters(const et_cpu_op *op, size_t index,
                                  const int64_t *sizes, et_error *error) {
  return et_cpu_check_sizes(op, index, et_cpu_parameters_dtype(op, index), 3,
                            sizes, error);
}

et_cpu_parameters et_cpu_parameters_of(const et_cpu_op *op, size_t index) {
  const et_cpu_tensor *tensor = op->tensors[index];
  const et_cpu_width width =
      tensor->dtype == ET_SCALAR_TYPE_FLOAT16    ? ET_CPU_FLOAT16
      : tensor->dtype == ET_SCALAR_TYPE_BFLOAT16 ? ET_CPU_BFLOAT16
                                                 : ET_CPU_FLOAT32;
  return (et_cpu_parameters){tensor->data, width};
}
