/* Positions and taps of a convolution along one axis. */
#include <string.h>

#include "kernels/engines/conv.h"

bool et_conv_axis_is_flat(const et_conv_axis *axis) {
  return axis->in == 1 && axis->out == 1 && axis->kernel == 1 &&
         axis->padding == 0;
}

static int64_t divide_up(int64_t a, int64_t b) {
  return a > 0 ? (a + b - 1) / b : 0;
}

static int64_t at_most(int64_t value, int64_t limit) {
  return value < limit ? value : limit;
}

void et_conv_inside(const et_conv_axis *axis, int64_t tap, int64_t *low,
                    int64_t *high) {
  const int64_t shift = tap * axis->dilation - axis->padding;
  *low = at_most(divide_up(-shift, axis->stride), axis->out);
  *high = at_most(divide_up(axis->in - shift, axis->stride), axis->out);
  *high = *high < *low ? *low : *high;
}

void et_conv_taps_inside(const et_conv_axis *axis, int64_t position,
                         int64_t *low, int64_t *high) {
  const int64_t start = position * axis->stride - axis->padding;
  *low = 0;
  *high = axis->kernel;
  while (*low < *high && start + *low * axis->dilation < 0) {
    ++*low;
  }
  while (*high > *low && start + (*high - 1) * axis->dilation >= axis->in) {
    --*high;
  }
}

/* The most common step. A separate loop lets the compiler vectorize it. */
static void copy_every_second(float *restrict to, const float *restrict from,
                              int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    to[i] = from[2 * i];
  }
}

void et_conv_copy_spaced(float *to, const float *from, int64_t step,
                         int64_t count) {
  if (step == 1) {
    memcpy(to, from, (size_t)count * sizeof(float));
  } else if (step == 2) {
    copy_every_second(to, from, count);
  } else {
    for (int64_t i = 0; i < count; i++) {
      to[i] = from[i * step];
    }
  }
}
