#include "backends/cpu/ops/window_i8.h"

#include "backends/cpu/ops/check.h"

static et_status check_images(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_image_i8(op, ET_CPU_I8_X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_image_i8(op, ET_CPU_I8_Y, error));
  ET_RETURN_IF_ERROR(et_cpu_check_batch(op, ET_CPU_I8_X, ET_CPU_I8_Y, error));
  const int32_t *in = op->tensors[ET_CPU_I8_X]->sizes;
  const int32_t *out = op->tensors[ET_CPU_I8_Y]->sizes;
  return et_cpu_check_window(op, ET_CPU_I8_WINDOW, in + 1, out + 1, error);
}

et_status et_cpu_check_window_i8(const et_cpu_op *op, uint16_t own,
                                 uint16_t workspaces, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = ET_CPU_I8_Y,
                                .inputs_most = ET_CPU_I8_Y,
                                .outputs = 1,
                                .workspaces = workspaces,
                                .attributes = ET_CPU_I8_WORDS + own};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(check_images(op, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_byte(op, ET_CPU_I8_ZERO_POINT, ET_CPU_I8_X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, ET_CPU_I8_TOGETHER, 0,
                                            ET_CPU_I8_MOST_TOGETHER, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_byte(op, ET_CPU_I8_LOWEST, ET_CPU_I8_X, error));
  return et_cpu_check_quantizing(op, ET_CPU_I8_QUANTIZING, ET_CPU_I8_Y, error);
}
