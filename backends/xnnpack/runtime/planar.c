#include "backends/xnnpack/runtime/layer.h"

#include "backends/cpu/microkernels/conv_planar.h"
#include "backends/cpu/schema/cost_model.h"
#include "backends/xnnpack/runtime/convolution.h"
#include "backends/xnnpack/runtime/schema.h"

/* Returns true if the node transposes float images from planar layout to NHWC. */
static bool is_transpose_to_nhwc(const et_xnn_graph *graph,
                                 const et_xnn_node *node) {
  static const uint32_t channels_last[] = {0, 2, 3, 1};
  if (node->tag != ET_XNN_NODE_TRANSPOSE) {
    return false;
  }
  const et_xnn_value x = et_xnn_value_at(graph, node->inputs[0]);
  const et_fb_vector order = et_fb_list(node->body, ET_XNN_TRANSPOSE_ORDER);
  bool is_last = et_fb_count(order) == 4 && x.dims.rank == 4 &&
                 x.constant == 0 && x.datatype == ET_XNN_FP32;
  for (uint32_t i = 0; i < 4 && is_last; i++) {
    is_last = et_fb_u32_at(order, i) == channels_last[i];
  }
  return is_last;
}

static bool fits_planar(const et_xnn_window *w, uint32_t channels) {
  const et_cpu_window window = {.kernel_y = (size_t)w->kernel[0],
                                .kernel_x = (size_t)w->kernel[1],
                                .stride_x = (size_t)w->stride[1],
                                .dilation_x = (size_t)w->dilation[1]};
  return w->kernel[0] <= ET_CPU_CONV_PLANAR_TAPS &&
         w->kernel[1] <= ET_CPU_CONV_PLANAR_TAPS &&
         et_cpu_conv_planar_fit(&window, channels);
}

/* Returns true if a layer is a convolution whose op supports planar input. */
static bool supports_planar(const et_xnn_nodes *n, const et_xnn_node *layer) {
  et_xnn_window w;
  if (layer->tag != ET_XNN_NODE_CONVOLUTION) {
    return false;
  }
  const uint32_t channels = et_fb_u32(layer->body, ET_XNN_CONV_GROUP_CHANNELS);
  return channels <= ET_CPU_PLANAR_MAX_CHANNELS &&
         et_fb_u32(layer->body, ET_XNN_CONV_GROUPS) == 1 &&
         et_xnn_window_of(layer, &w) && !et_xnn_is_pixel(&w) &&
         fits_planar(&w, channels) && et_xnn_is_float_layer(n, layer);
}

/* Returns the transpose to NHWC whose only reader is `layer`, or ET_XNN_NO_NODE. */
static uint32_t find_transpose(const et_xnn_nodes *n,
                               const et_xnn_node *layer) {
  if (!supports_planar(n, layer)) {
    return ET_XNN_NO_NODE;
  }
  const uint32_t index = et_xnn_sole_writer(n->uses, n->graph, layer->index,
                                            layer->inputs[ET_XNN_CONV_X]);
  if (index == ET_XNN_NO_NODE) {
    return index;
  }
  const et_xnn_node node = et_xnn_node_at(n->graph, index);
  return is_transpose_to_nhwc(n->graph, &node) ? index : ET_XNN_NO_NODE;
}

/* Finds the layer that transpose `index` is folded into. Returns false if there is none. */
static bool find_layer(const et_xnn_nodes *n, uint32_t index,
                       et_xnn_node *layer) {
  const et_xnn_node node = et_xnn_node_at(n->graph, index);
  const uint32_t reader =
      et_xnn_sole_reader(n->uses, n->graph, index, node.outputs[0]);
  if (node.tag != ET_XNN_NODE_TRANSPOSE || reader == ET_XNN_NO_NODE) {
    return false;
  }
  *layer = et_xnn_layer_of(n, et_xnn_last_of(n, reader));
  return find_transpose(n, layer) == index;
}

/* Returns the pad before `transpose` that can be folded into `layer`. */
static uint32_t find_pad(const et_xnn_nodes *n, uint32_t transpose,
                         const et_xnn_node *layer) {
  return et_xnn_find_pad(n->uses, n->graph, transpose, ET_XNN_PLANAR, layer);
}

static bool is_pad_of_planar(const et_xnn_nodes *n, const et_xnn_node *pad) {
  const uint32_t reader =
      et_xnn_sole_reader(n->uses, n->graph, pad->index, pad->outputs[0]);
  et_xnn_node layer;
  return reader != ET_XNN_NO_NODE && find_layer(n, reader, &layer) &&
         find_pad(n, reader, &layer) == pad->index;
}

bool et_xnn_permutes_planar(const et_xnn_nodes *n, uint32_t index) {
  const et_xnn_node node = et_xnn_node_at(n->graph, index);
  et_xnn_node layer;
  return node.tag == ET_XNN_NODE_PAD ? is_pad_of_planar(n, &node)
                                     : find_layer(n, index, &layer);
}

void et_xnn_read_planar(const et_xnn_nodes *n, et_xnn_node *layer) {
  const uint32_t transpose = find_transpose(n, layer);
  if (transpose == ET_XNN_NO_NODE) {
    return;
  }
  const uint32_t pad = find_pad(n, transpose, layer);
  layer->reads_planar = true;
  layer->inputs[ET_XNN_CONV_X] = et_xnn_node_at(n->graph, transpose).inputs[0];
  if (pad != ET_XNN_NO_NODE) {
    const et_xnn_node node = et_xnn_node_at(n->graph, pad);
    et_xnn_fold_pad(&node, ET_XNN_PLANAR, layer);
  }
}
