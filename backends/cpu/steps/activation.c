#include "backends/cpu/steps/activation.h"

#include <string.h>

#include "backends/cpu/steps/check.h"

et_status et_cpu_check_activation(const et_cpu_step *step, size_t index,
                                  et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, index, ET_CPU_ACTIVATION_NONE,
                                            ET_CPU_ACTIVATION_ELU, error));
  return ET_STATUS_OK;
}

static float float_of_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

et_cpu_activation et_cpu_read_activation(const et_cpu_step *step,
                                         size_t index) {
  const uint32_t *words = step->attributes + index;
  const et_cpu_activation activation = {words[0], float_of_bits(words[1]),
                                        float_of_bits(words[2])};
  return activation;
}
