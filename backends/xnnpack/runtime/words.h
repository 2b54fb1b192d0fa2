/* Conversion of the fields of nodes to attributes of ops. */
#ifndef BACKENDS_XNNPACK_RUNTIME_WORDS_H_
#define BACKENDS_XNNPACK_RUNTIME_WORDS_H_

#include "backends/cpu/schema/conv_qs8.h"
#include "backends/cpu/schema/kernel_sizes.h"
#include "backends/xnnpack/runtime/builder.h"

/* A window over images. Pairs are (y, x). */
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

/* Returns true if a node with input, weights and bias is computed in int8. Input and output must be
 * int8 or uint8. Weights must have one scale per output channel or tensor. The bias must be int32
 * or absent. */
bool et_xnn_is_qs8(const et_xnn_builder *b);

/* If the node has bounds, emits an op that clamps `floats` to them. */
void et_xnn_clamp(et_xnn_builder *b, et_xnn_tensor floats);

/* Reads the window of a node. Zero padding that was folded into the node is added to its padding.
 * Returns false if a field is out of range. Fields are at most ET_CPU_MAX_WINDOW, so their sums and
 * products fit in int64. */
bool et_xnn_window_of(const et_xnn_node *node, et_xnn_window *out);

/* Returns true if each output pixel depends only on the input pixel at the same position. */
bool et_xnn_is_pixel(const et_xnn_window *window);

/* Reads the window of a node with non-overlapping windows (stride equals kernel size). */
bool et_xnn_disjoint_window_of(const et_xnn_node *node, et_xnn_window *out);

/* Returns the number of outputs along axis 0 (y) or 1 (x), or 0 if the window is larger than
 * the padded input. */
int32_t et_xnn_window_outputs(const et_xnn_window *window, size_t axis,
                              int32_t in);

#endif /* BACKENDS_XNNPACK_RUNTIME_WORDS_H_ */
