#include "kernels/engines/conv_geometry.h"

#include <string.h>

#include "executorch/kernels/scratch.h"
#include "runtime/core/arithmetic.h"

bool et_conv_axis_is_flat(const et_conv_axis *axis) {
  return axis->in == 1 && axis->out == 1 && axis->kernel == 1 &&
         axis->padding == 0;
}

bool et_conv_is_pointwise(const et_conv *conv) {
  return ET_CONV_IS_POINTWISE(ET_CONV_LARGEST(conv, kernel),
                              ET_CONV_LARGEST(conv, stride),
                              ET_CONV_LARGEST(conv, padding));
}

void et_conv_inside(const et_conv_axis *axis, int64_t tap, int64_t *low,
                    int64_t *high) {
  const int64_t shift = tap * axis->dilation - axis->padding;
  *low = et_min_i64(et_divide_up_i64(-shift, axis->stride), axis->out);
  *high =
      et_min_i64(et_divide_up_i64(axis->in - shift, axis->stride), axis->out);
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
