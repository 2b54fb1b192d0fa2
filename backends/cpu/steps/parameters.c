#include "backends/cpu/steps/parameters.h"

#include "backends/cpu/steps/check.h"

et_scalar_type et_cpu_parameters_dtype(const et_cpu_step *step, size_t index) {
  const et_scalar_type dtype = (et_scalar_type)step->tensors[index]->dtype;
  return dtype == ET_SCALAR_TYPE_FLOAT16 || dtype == ET_SCALAR_TYPE_BFLOAT16
             ? dtype
             : ET_SCALAR_TYPE_FLOAT32;
}

et_status et_cpu_check_parameters(const et_cpu_step *step, size_t index,
                                  const int64_t *sizes, et_error *error) {
  return et_cpu_check_sizes(step, index, et_cpu_parameters_dtype(step, index),
                            3, sizes, error);
}

et_cpu_parameters et_cpu_parameters_of(const et_cpu_step *step, size_t index) {
  const et_cpu_tensor *tensor = step->tensors[index];
  const et_cpu_width width =
      tensor->dtype == ET_SCALAR_TYPE_FLOAT16    ? ET_CPU_FLOAT16
      : tensor->dtype == ET_SCALAR_TYPE_BFLOAT16 ? ET_CPU_BFLOAT16
                                                 : ET_CPU_FLOAT32;
  return (et_cpu_parameters){tensor->data, width};
}
