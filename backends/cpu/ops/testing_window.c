#include "backends/cpu/ops/testing_window.h"

int32_t et_test_axis_out(const et_test_axis *axis) {
  const int32_t reach = (axis->kernel - 1) * axis->dilation + 1;
  const int32_t slack = axis->in + axis->before + axis->after - reach;
  return slack < 0 ? 0 : slack / axis->stride + 1;
}

et_test_axis et_test_axis_random(int32_t kernel, int32_t stride,
                                 int32_t dilation) {
  et_test_axis axis = {
      .kernel = kernel, .stride = stride, .dilation = dilation};
  axis.before = (int32_t)et_test_below((size_t)kernel + 1);
  axis.after = (int32_t)et_test_below((size_t)kernel + 1);
  axis.in = 1 + (int32_t)et_test_below(14);
  const int32_t reach = (kernel - 1) * dilation + 1;
  const int32_t min = reach - axis.before - axis.after;
  axis.in = axis.in < min ? min : axis.in;
  axis.out = et_test_axis_out(&axis);
  return axis;
}

void et_test_window(et_test_op *test, const et_test_axis *y,
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

et_test_conv et_test_random_convolution(bool planar) {
  et_test_conv s = {.batch = 1 + (int32_t)et_test_below(2), .planar = planar};
  s.groups = et_test_below(3) == 0 ? 1 + (int32_t)et_test_below(4) : 1;
  s.channels = s.groups * (1 + (int32_t)et_test_below(9));
  s.columns = s.groups * (1 + (int32_t)et_test_below(40));
  s.residual = et_test_below(2) == 0;
  s.clamp = et_test_below(2) == 0;
  s.y = et_test_axis_random(1 + (int32_t)et_test_below(5),
                            1 + (int32_t)et_test_below(3),
                            1 + (int32_t)et_test_below(3));
  s.x = et_test_axis_random(1 + (int32_t)et_test_below(5),
                            1 + (int32_t)et_test_below(3),
                            1 + (int32_t)et_test_below(3));
  return s;
}

void et_test_make_convolution(et_test_op *test, const et_backend_part *kind,
                              et_scalar_type weights, const et_test_conv *s) {
  const int32_t image[4] = {s->batch, s->y.in, s->x.in, s->channels};
  const int32_t nchw[4] = {s->batch, s->channels, s->y.in, s->x.in};
  const int32_t out[4] = {s->batch, s->y.out, s->x.out, s->columns};
  const int32_t count = (s->columns / s->groups + 15) / 16;
  const int32_t depth = s->y.kernel * s->x.kernel * (s->channels / s->groups);
  const int32_t panels[4] = {s->groups, count, depth, 16};
  const int32_t bias[1] = {s->groups * count * 16};
  et_test_begin(test, kind);
  et_test_input(test, ET_SCALAR_TYPE_FLOAT32, 4, s->planar ? nchw : image);
  et_test_input(test, weights, 4, panels);
  et_test_input(test, ET_SCALAR_TYPE_FLOAT32, 1, bias);
  if (s->residual) {
    et_test_input(test, ET_SCALAR_TYPE_FLOAT32, 4, out);
  }
  et_test_output(test, ET_SCALAR_TYPE_FLOAT32, 4, out);
  et_test_int(test, s->planar);
  et_test_window(test, &s->y, &s->x);
  et_test_int(test, s->groups);
  et_test_int(test, s->clamp ? 1 : 0);
  et_test_float(test, -0.5f);
  et_test_float(test, 0.75f);
}
