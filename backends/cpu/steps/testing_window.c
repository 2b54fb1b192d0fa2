#include "backends/cpu/steps/testing_window.h"

int32_t et_test_axis_out(const et_test_axis *axis) {
  const int32_t reach = (axis->kernel - 1) * axis->dilation + 1;
  const int32_t room = axis->in + axis->before + axis->after - reach;
  return room < 0 ? 0 : room / axis->stride + 1;
}

et_test_axis et_test_axis_random(int32_t kernel, int32_t stride,
                                 int32_t dilation) {
  et_test_axis axis = {
      .kernel = kernel, .stride = stride, .dilation = dilation};
  axis.before = (int32_t)et_test_below((size_t)kernel + 1);
  axis.after = (int32_t)et_test_below((size_t)kernel + 1);
  axis.in = 1 + (int32_t)et_test_below(14);
  const int32_t reach = (kernel - 1) * dilation + 1;
  const int32_t least = reach - axis.before - axis.after;
  axis.in = axis.in < least ? least : axis.in;
  axis.out = et_test_axis_out(&axis);
  return axis;
}

void et_test_window(et_test_step *test, const et_test_axis *y,
                    const et_test_axis *x) {
  const int32_t words[10] = {y->kernel,   x->kernel,  y->stride, x->stride,
                             y->before,   x->before,  y->after,  x->after,
                             y->dilation, x->dilation};
  for (size_t i = 0; i < 10; i++) {
    et_test_int(test, words[i]);
  }
}

int32_t et_test_tap(const et_test_axis *axis, int32_t out, int32_t tap) {
  const int32_t at = out * axis->stride - axis->before + tap * axis->dilation;
  return at < axis->in ? at : -1;
}
