/* Convolutions as their nodes describe them. */
#ifndef BACKENDS_XNNPACK_RUNTIME_CONVOLUTION_H_
#define BACKENDS_XNNPACK_RUNTIME_CONVOLUTION_H_

#include "backends/xnnpack/runtime/pack.h"
#include "backends/xnnpack/runtime/words.h"

/* Values of the node. */
enum { ET_XNN_CONV_X, ET_XNN_CONV_FILTER, ET_XNN_CONV_BIAS };

/* What the node says beside its values. */
typedef struct et_xnn_convolution_of {
  et_xnn_window window;
  et_xnn_matrix matrix;
  int32_t channels; /* of all groups, in */
  int32_t outputs;  /* of all groups */
} et_xnn_convolution_of;

/* An op of floats over images, with the node's bias and bounds. */
typedef struct et_xnn_image_op {
  const et_backend_part *part;
  et_xnn_tensor weights;
  const uint32_t *words;
  uint16_t word_count;
  et_xnn_tensor workspace; /* if there is one */
  uint16_t workspace_count;
} et_xnn_image_op;

/* Reads the node; weights are [outputs, height, width, channels of a group]. */
void et_xnn_read_convolution(et_xnn_builder *b, et_xnn_convolution_of *out);

/* Of a filter [1, height, width, outputs], each of one channel. */
void et_xnn_read_depthwise(et_xnn_builder *b, et_xnn_convolution_of *out);

/* Filters of one output for each channel as columns of one matrix. */
void et_xnn_as_columns(et_xnn_convolution_of *c);

/* Sizes of what the layer reads as [B, H, W, C]. */
et_xnn_dims et_xnn_as_picture(const et_xnn_node *layer, et_xnn_dims x);

/* Sizes of the picture that the node reads as [B, H, W, C], whether it lies so or as
 * planes. */
et_xnn_dims et_xnn_picture_dims(const et_xnn_builder *b);

/* Emits it: reads floats, makes what the output is of its own. */
void et_xnn_emit_floats(et_xnn_builder *b, const et_xnn_convolution_of *c,
                        const et_xnn_image_op *op);

/* Whether Winograd's algorithm is the faster way, by the sizes that the payload
 * declares, and the caller has not said no; winograd.c. */
bool et_xnn_takes_winograd(const et_xnn_builder *b,
                           const et_xnn_convolution_of *c);

/* The convolution by that. */
void et_xnn_emit_winograd(et_xnn_builder *b, const et_xnn_convolution_of *c);

/* Of bytes: whether, its weights, and how many tiles are worked on at once;
 * winograd_i8.c. */
bool et_xnn_takes_winograd_i8(const et_xnn_builder *b,
                              const et_xnn_convolution_of *c);
et_xnn_tensor et_xnn_pack_winograd_i8(et_xnn_builder *b,
                                      const et_xnn_convolution_of *c);
size_t et_xnn_winograd_tiles_i8(const et_xnn_builder *b,
                                const et_xnn_convolution_of *c);

#endif /* BACKENDS_XNNPACK_RUNTIME_CONVOLUTION_H_ */
