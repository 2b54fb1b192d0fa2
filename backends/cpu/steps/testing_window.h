/* Random windows for tests of convolutions and pooling. */
#ifndef BACKENDS_CPU_STEPS_TESTING_WINDOW_H_
#define BACKENDS_CPU_STEPS_TESTING_WINDOW_H_

#include "backends/cpu/steps/testing.h"

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
void et_test_window(et_test_step *test, const et_test_axis *y,
                    const et_test_axis *x);

/* What tap `tap` reads for output `out`; -1 outside of the image. */
int32_t et_test_tap(const et_test_axis *axis, int32_t out, int32_t tap);

#endif /* BACKENDS_CPU_STEPS_TESTING_WINDOW_H_ */
