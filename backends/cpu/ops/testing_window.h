/* Random windows for tests of convolutions and pooling. */
#ifndef BACKENDS_CPU_OPS_TESTING_WINDOW_H_
#define BACKENDS_CPU_OPS_TESTING_WINDOW_H_

#include "backends/cpu/ops/testing.h"

/* One axis of a window and of its images. */
typedef struct et_test_axis {
  int32_t in, out, kernel, stride, before, after, dilation;
} et_test_axis;

/* Returns an axis with random padding and enough elements for at least one output. */
et_test_axis et_test_axis_random(int32_t kernel, int32_t stride,
                                 int32_t dilation);

/* Returns the number of outputs. */
int32_t et_test_axis_out(const et_test_axis *axis);

/* Adds the attributes of a window. */
void et_test_window(et_test_op *test, const et_test_axis *y,
                    const et_test_axis *x);

/* Returns the index of the element under tap `tap` of output `out`. In the padding, the index is
 * negative. */
int32_t et_test_tap(const et_test_axis *axis, int32_t out, int32_t tap);

/* A convolution of NHWC or planar images. */
typedef struct et_test_conv {
  int32_t batch, channels, columns, groups;
  et_test_axis y, x;
  bool planar, residual, clamp;
} et_test_conv;

et_test_conv et_test_random_convolution(bool planar);

/* Makes an op with weights of dtype `weights`. The shape `s` determines whether it has a
 * residual and a clamp to [-0.5, 0.75]. */
void et_test_make_convolution(et_test_op *test, const et_backend_part *kind,
                              et_scalar_type weights, const et_test_conv *s);

#endif /* BACKENDS_CPU_OPS_TESTING_WINDOW_H_ */
