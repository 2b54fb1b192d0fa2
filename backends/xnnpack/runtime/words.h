/* Attributes that several ops have. */
#ifndef BACKENDS_XNNPACK_RUNTIME_WORDS_H_
#define BACKENDS_XNNPACK_RUNTIME_WORDS_H_

#include "backends/cpu/schema/conv_qs8.h"
#include "backends/xnnpack/runtime/builder.h"

/* A window over images: down, then across. */
typedef struct et_xnn_window {
  int32_t kernel[2];
  int32_t stride[2];
  int32_t before[2];
  int32_t after[2];
  int32_t dilation[2];
} et_xnn_window;

/* Returns the activation of the node: a clamp to its bounds, or a function. */
et_cpu_activation et_xnn_activation_of(const et_xnn_node *node);

/* Returns the window as attributes of an op. */
et_cpu_window_attributes et_xnn_window_attributes(const et_xnn_window *window);

/* Returns the attributes of a convolution of quantized images with `groups` groups. */
et_cpu_conv_qs8_attributes et_xnn_conv_qs8(const et_xnn_builder *b,
                                           const et_xnn_window *window,
                                           int32_t groups);

/* Whether a node of input, weights and bias is one from bytes to bytes, with weights
 * that are multiples of a scale a column and a bias of whole numbers. */
bool et_xnn_is_of_bytes(const et_xnn_builder *b);

/* An op that brings floats within the node's bounds, if it has any. */
void et_xnn_clamp(et_xnn_builder *b, et_xnn_tensor floats);

/* Larger numbers of a window are of no use; within them nothing overflows. */
#define ET_XNN_MOST_WINDOW (1 << 20)

/* Reads the window from the fields of the node's table: padding from 0 on, then
 * kernel, stride and dilation; to the padding the node's zeros are added. False when it
 * is no window. */
bool et_xnn_window_of(const et_xnn_node *node, et_xnn_window *out);

/* Whether it is one pixel, and each has its own. */
bool et_xnn_is_pixel(const et_xnn_window *window);

/* The same of a node whose windows lie side by side. */
bool et_xnn_places_of(const et_xnn_node *node, et_xnn_window *out);

/* Pixels of the output along axis 0 or 1; 0 when the window does not fit. */
int32_t et_xnn_window_outputs(const et_xnn_window *window, size_t axis,
                              int32_t in);

#endif /* BACKENDS_XNNPACK_RUNTIME_WORDS_H_ */
