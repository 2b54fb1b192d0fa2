/* Random windows for tests of convolutions and pooling. */
#ifndef BACKENDS_CPU_OPS_TESTING_WINDOW_H_
#define BACKENDS_CPU_OPS_TESTING_WINDOW_H_

#include "backends/cpu/ops/testing.h"

/* Along one axis. */
typedef struct et_test_axis {
  int32_t in, out, kernel, stride, before, after, dilation;
} et_test_axis;

/* A window of `kernel` taps at `stride` with random paddings, over so many
 * elements that there is at least one output. */
et_test_axis et_test_axis_random(int32_t kernel, int32_t stride,
                                 int32_t dilation);

/* The output's size, from the others. */
int32_t et_test_axis_out(const et_test_axis *axis);

/* The ten words of a window. */
void et_test_window(et_test_op *test, const et_test_axis *y,
                    const et_test_axis *x);

/* What tap `tap` reads for output `out`; -1 outside of the image. */
int32_t et_test_tap(const et_test_axis *axis, int32_t out, int32_t tap);

/* A convolution of pictures, or of planes. */
typedef struct et_test_conv {
  int32_t batch, channels, columns, groups;
  et_test_axis y, x;
  bool planes, residual, clamp;
} et_test_conv;

et_test_conv et_test_random_convolution(bool planes);

/* x, panels of dtype `weights`, bias, perhaps residual, y; clamped to
 * [-0.5, 0.75]. */
void et_test_make_convolution(et_test_op *test, const et_backend_part *kind,
                              et_scalar_type weights, const et_test_conv *s);

#endif /* BACKENDS_CPU_OPS_TESTING_WINDOW_H_ */
