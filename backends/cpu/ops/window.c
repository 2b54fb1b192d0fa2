#include "backends/cpu/ops/window.h"

#include "backends/cpu/ops/check.h"

enum { TOP, LEFT, BOTTOM, RIGHT };

int64_t et_cpu_window_output_size(const et_cpu_window_attributes *window,
                                  size_t axis, int64_t in) {
  const int64_t extent =
      (int64_t)(window->kernel[axis] - 1) * window->dilation[axis] + 1;
  const int64_t padded =
      in + window->padding[TOP + axis] + window->padding[BOTTOM + axis];
  return padded < extent ? 0 : (padded - extent) / window->stride[axis] + 1;
}

et_status et_cpu_check_window_sizes(const et_cpu_op *op,
                                    const et_cpu_window_attributes *window,
                                    const int32_t *in, const int32_t *out,
                                    et_error *error) {
  for (size_t axis = 0; axis < 2; axis++) {
    const int64_t expected = et_cpu_window_output_size(window, axis, in[axis]);
    ET_CPU_CHECK(error, out[axis] == expected,
                 "%s: %d outputs along an axis of size %d, expected %lld",
                 op->type->schema->name, (int)out[axis], (int)in[axis],
                 (long long)expected);
  }
  return ET_STATUS_OK;
}

et_cpu_window et_cpu_window_of(const et_cpu_window_attributes *window,
                               const int32_t *in, const int32_t *out) {
  return (et_cpu_window){.height = (size_t)in[0],
                         .width = (size_t)in[1],
                         .out_height = (size_t)out[0],
                         .out_width = (size_t)out[1],
                         .kernel_y = (size_t)window->kernel[0],
                         .kernel_x = (size_t)window->kernel[1],
                         .stride_y = (size_t)window->stride[0],
                         .stride_x = (size_t)window->stride[1],
                         .dilation_y = (size_t)window->dilation[0],
                         .dilation_x = (size_t)window->dilation[1],
                         .top = (size_t)window->padding[TOP],
                         .left = (size_t)window->padding[LEFT]};
}
