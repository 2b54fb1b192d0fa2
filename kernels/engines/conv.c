#include "kernels/engines/conv.h"

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

static bool is_pointwise(const et_conv_axis *axis) {
  return axis->kernel == 1 && axis->stride == 1 && axis->padding == 0;
}

bool et_conv_is_pointwise(const et_conv *conv) {
  return is_pointwise(&conv->y) && is_pointwise(&conv->x);
}

size_t et_conv_scratch(const et_conv *conv) {
  const bool is_depthwise = conv->weight.sizes[1] == 1;
  return et_conv_is_pointwise(conv) && !is_depthwise ? 0 : ET_CONV_SCRATCH;
}

void et_conv_float32(const et_conv *conv, et_mutable_span scratch) {
  if (!et_conv_depthwise(conv, scratch)) {
    et_conv_product(conv, scratch);
  }
}
