/* Attributes of two-dimensional pooling, and the loop over its windows. */
#ifndef ET_KERNELS_ENGINES_WINDOW_H_
#define ET_KERNELS_ENGINES_WINDOW_H_

#include "kernels/engines/conv.h"

/* What pooling operators share: self [N, C, H, W] or [C, H, W], out the same
 * with windows for pixels. */
typedef struct et_window {
  et_view in; /* four dimensions */
  et_view out;
  et_conv_axis y;
  et_conv_axis x;
} et_window;

/* Which arguments hold the attributes; NULL: dilation 1. */
typedef struct et_window_arguments {
  const char *name; /* of the operator, for messages */
  const et_value *kernel_size;
  const et_value *stride;
  const et_value *padding;
  const et_value *dilation;
  bool ceil_mode;
} et_window_arguments;

/* Reads and checks the attributes and resizes `out`. Padding may be at most
 * half the kernel, as in PyTorch. */
et_status et_window_plan(et_kernel_context *context,
                         const et_window_arguments *arguments,
                         const et_tensor *self, et_tensor *out,
                         et_window *window);

/* A tensor of three or four dimensions as one of four. */
et_view et_window_view(const et_tensor *tensor);

/* Byte address of element [n, c, y, x]. */
uint8_t *et_window_at(const et_view *view, int64_t n, int64_t c, int64_t y,
                      int64_t x);

#endif /* ET_KERNELS_ENGINES_WINDOW_H_ */
