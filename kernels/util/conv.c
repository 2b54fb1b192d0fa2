#include "kernels/util/conv.h"

#include <string.h>

static bool is_row_major_float32(const et_view *view) {
  int64_t stride = 1;
  for (size_t d = view->rank; d-- > 0;) {
    if (view->sizes[d] != 1 && view->strides[d] != stride) {
      return false;
    }
    stride *= view->sizes[d];
  }
  return view->dtype == ET_SCALAR_TYPE_FLOAT32;
}

bool et_conv_is_plain(const et_conv *conv) {
  return !conv->transposed && is_row_major_float32(&conv->input) &&
         is_row_major_float32(&conv->weight) &&
         is_row_major_float32(&conv->out) &&
         (conv->bias.data == NULL || is_row_major_float32(&conv->bias));
}

void et_conv_float32(const et_conv *conv, et_mutable_span scratch) {
  if (!et_conv_depthwise(conv, scratch)) {
    et_conv_product(conv, scratch);
  }
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

/* The commonest step, on its own so that it is vectorised. */
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
