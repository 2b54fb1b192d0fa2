/* Attributes of convolution nodes, and the ops that compute them. */
#ifndef BACKENDS_XNNPACK_RUNTIME_CONVOLUTION_H_
#define BACKENDS_XNNPACK_RUNTIME_CONVOLUTION_H_

#include "backends/xnnpack/runtime/pack.h"
#include "backends/xnnpack/runtime/words.h"

/* Indices of the node's inputs. */
enum { ET_XNN_CONV_X, ET_XNN_CONV_FILTER, ET_XNN_CONV_BIAS };

/* Window and sizes of a convolution. */
typedef struct et_xnn_convolution_of {
  et_xnn_window window;
  et_xnn_matrix matrix;
  int32_t channels; /* input channels, total over all groups */
  int32_t outputs;  /* output channels, total over all groups */
} et_xnn_convolution_of;

/* A float op over images, with the bias and the bounds of the node. */
typedef struct et_xnn_image_op {
  const et_backend_part *part;
  et_xnn_tensor weights;
  const uint32_t *words;
  uint16_t word_count;
  et_xnn_tensor workspace; /* if workspace_count is 1 */
  uint16_t workspace_count;
} et_xnn_image_op;

/* Reads a convolution, whose weights are [outputs, height, width, channels of a group]. */
void et_xnn_read_convolution(et_xnn_builder *b, et_xnn_convolution_of *out);

/* Reads a depthwise convolution, whose weights are [1, height, width, outputs]. */
void et_xnn_read_depthwise(et_xnn_builder *b, et_xnn_convolution_of *out);

/* Changes filters that have one output per channel to columns of one matrix. */
void et_xnn_as_columns(et_xnn_convolution_of *c);

/* Returns the sizes of the input of `layer` as [B, H, W, C]. */
et_xnn_dims et_xnn_as_image(const et_xnn_node *layer, et_xnn_dims x);

/* Returns the sizes of the node's input, in NHWC or planar layout, as [B, H, W, C]. */
et_xnn_dims et_xnn_image_dims(const et_xnn_builder *b);

/* Emits the op. Converts its input to float32, and its output from float32 to the declared
 * datatype. */
void et_xnn_emit_floats(et_xnn_builder *b, const et_xnn_convolution_of *c,
                        const et_xnn_image_op *op);

/* Returns true if Winograd's algorithm is faster for the declared sizes and is not disabled by an
 * option. Defined in winograd.c. */
bool et_xnn_prefers_winograd(const et_xnn_builder *b,
                             const et_xnn_convolution_of *c);

/* Emits winograd_f32. */
void et_xnn_emit_winograd(et_xnn_builder *b, const et_xnn_convolution_of *c);

/* Functions for int8 convolutions with Winograd's algorithm, defined in winograd_i8.c. They return
 * whether to use it, its packed weights, and the number of tiles that a thread transforms at
 * once. */
bool et_xnn_prefers_winograd_i8(const et_xnn_builder *b,
                                const et_xnn_convolution_of *c);
et_xnn_tensor et_xnn_pack_winograd_i8(et_xnn_builder *b,
                                      const et_xnn_convolution_of *c);
size_t et_xnn_winograd_tiles_i8(const et_xnn_builder *b,
                                const et_xnn_convolution_of *c);

#endif /* BACKENDS_XNNPACK_RUNTIME_CONVOLUTION_H_ */
