#include "backends/cpu/ops/activation.h"

#include <string.h>

#include "backends/cpu/ops/check.h"

et_status et_cpu_check_activation(const et_cpu_op *op, size_t index,
                                  et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, index, ET_CPU_ACTIVATION_FUNCTION_NONE,
                             ET_CPU_ACTIVATION_FUNCTION_ELU, error));
  return ET_STATUS_OK;
}

static float read_float(const et_cpu_op *op, size_t index) {
  float value;
  memcpy(&value, op->attributes + index, sizeof(value));
  return value;
}

et_cpu_activation et_cpu_read_activation(const et_cpu_op *op, size_t index) {
  const et_cpu_activation activation = {op->attributes[index],
                                        read_float(op, index + 1),
                                        read_float(op, index + 2)};
  return activation;
}
