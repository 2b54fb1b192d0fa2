#include "backends/cpu/ops/window.h"

#include "backends/cpu/ops/check.h"

/* Words of a window; those of the other axis follow each. */
enum { KERNEL = 0, STRIDE = 2, BEFORE = 4, AFTER = 6, DILATION = 8 };

/* Larger values are of no use; within them no sum or product overflows. */
#define MOST (1 << 20)
#define MOST_KERNEL (1 << 15)

static et_status check_axis_words(const et_cpu_op *op, size_t index,
                                  et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, index + KERNEL, 1, MOST_KERNEL, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, index + STRIDE, 1, MOST, error));
  ET_RETURN_IF_ERROR(
      et_cpu_check_attribute(op, index + BEFORE, 0, MOST, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, index + AFTER, 0, MOST, error));
  return et_cpu_check_attribute(op, index + DILATION, 1, MOST, error);
}

et_status et_cpu_check_window_words(const et_cpu_op *op, size_t index,
                                    et_error *error) {
  ET_RETURN_IF_ERROR(check_axis_words(op, index, error));
  return check_axis_words(op, index + 1, error);
}

int64_t et_cpu_window_outputs(const et_cpu_op *op, size_t index, size_t axis,
                              int64_t in) {
  const size_t at = index + axis;
  const int64_t reach = (et_cpu_attribute(op, at + KERNEL) - 1) *
                        et_cpu_attribute(op, at + DILATION);
  const int64_t room = in + et_cpu_attribute(op, at + BEFORE) +
                       et_cpu_attribute(op, at + AFTER) - reach - 1;
  return room < 0 ? 0 : room / et_cpu_attribute(op, at + STRIDE) + 1;
}

et_status et_cpu_check_window(const et_cpu_op *op, size_t index,
                              const int32_t *in, const int32_t *out,
                              et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_window_words(op, index, error));
  for (size_t axis = 0; axis < 2; axis++) {
    const int64_t expected = et_cpu_window_outputs(op, index, axis, in[axis]);
    ET_CPU_CHECK(error, out[axis] == expected,
                 "%s: %d outputs along an axis of %d, expected %lld",
                 op->type->name, (int)out[axis], (int)in[axis],
                 (long long)expected);
  }
  return ET_STATUS_OK;
}

et_cpu_window et_cpu_read_window(const et_cpu_op *op, size_t index,
                                 const int32_t *in, const int32_t *out) {
  const uint32_t *words = op->attributes + index;
  const et_cpu_window window = {.height = (size_t)in[0],
                                .width = (size_t)in[1],
                                .out_height = (size_t)out[0],
                                .out_width = (size_t)out[1],
                                .kernel_y = words[KERNEL],
                                .kernel_x = words[KERNEL + 1],
                                .stride_y = words[STRIDE],
                                .stride_x = words[STRIDE + 1],
                                .dilation_y = words[DILATION],
                                .dilation_x = words[DILATION + 1],
                                .top = words[BEFORE],
                                .left = words[BEFORE + 1]};
  return window;
}
