#include "kernels/engines/conv.h"

#include "executorch/kernels/scratch.h"
#include "runtime/core/arithmetic.h"

static bool is_row_major(const et_view *view) {
  int64_t stride = 1;
  for (size_t d = view->rank; d-- > 0;) {
    if (view->sizes[d] != 1 && view->strides[d] != stride) {
      return false;
    }
    stride *= view->sizes[d];
  }
  return true;
}

static bool is_all_row_major(const et_conv *conv) {
  return is_row_major(&conv->input) && is_row_major(&conv->weight) &&
         is_row_major(&conv->out) &&
         (conv->bias.data == NULL || is_row_major(&conv->bias));
}

bool et_conv_is_plain(const et_conv *conv) {
  return ET_CONV_IS_PLAIN(conv->input.dtype, is_all_row_major(conv),
                          conv->transposed);
}

size_t et_conv_scratch(const et_conv *conv) {
  return ET_CONV_SCRATCH(
      conv->input.dtype, is_all_row_major(conv), conv->transposed,
      conv->weight.sizes[1], ET_CONV_LARGEST(conv, kernel),
      ET_CONV_LARGEST(conv, stride), ET_CONV_LARGEST(conv, padding));
}

void et_conv_float32(const et_conv *conv, et_mutable_span scratch) {
  if (!et_conv_depthwise(conv, scratch)) {
    et_conv_gemm(conv, scratch);
  }
}
