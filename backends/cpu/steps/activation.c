#include "backends/cpu/steps/activation.h"

#include <string.h>

#include "backends/cpu/steps/check.h"

et_status et_cpu_check_activation(const et_cpu_step *step, size_t index,
                                  et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, index, ET_CPU_ACTIVATION_NONE,
                                            ET_CPU_ACTIVATION_ELU, error));
  return ET_STATUS_OK;
}

float et_cpu_read_float(const et_cpu_step *step, size_t index) {
  float value;
  memcpy(&value, step->attributes + index, sizeof(value));
  return value;
}

et_cpu_activation et_cpu_read_activation(const et_cpu_step *step,
                                         size_t index) {
  const et_cpu_activation activation = {step->attributes[index],
                                        et_cpu_read_float(step, index + 1),
                                        et_cpu_read_float(step, index + 2)};
  return activation;
}
