#include "backends/xnnpack/runtime/layer.h"

#include "backends/xnnpack/runtime/schema.h"
#include "backends/xnnpack/runtime/words.h"

#define NONE ET_XNN_NO_NODE

/* Fields of a pad node: the padding before and after each dimension. */
static const uint16_t sides[2] = {ET_XNN_PAD_BEFORE, ET_XNN_PAD_AFTER};

static et_fb_vector list_of(const et_xnn_node *pad, size_t side) {
  return et_fb_list(pad->body, sides[side]);
}

/* Returns true if the pad fills with the same value that windows read outside the image. */
static bool pads_with_zeros(const et_xnn_graph *graph, const et_xnn_node *pad) {
  const et_xnn_value x = et_xnn_value_at(graph, pad->inputs[0]);
  const et_xnn_value y = et_xnn_value_at(graph, pad->outputs[0]);
  const bool is_known = et_xnn_is_floating(&x) || et_xnn_is_8_bit(&x) ||
                        x.datatype == ET_XNN_QDINT8;
  return is_known && x.constant == 0 && x.dims.rank == 4 &&
         et_xnn_same_quantization(&x, &y) && !et_xnn_is_bounded(pad) &&
         et_fb_f32(pad->body, ET_XNN_PAD_VALUE) == 0.0f;
}

/* Returns true if the pad only extends height and width and is within the limits of a window. */
static bool pads_image_only(const et_xnn_node *pad, et_xnn_layout layout) {
  bool is_around = true;
  for (size_t side = 0; side < 2; side++) {
    const et_fb_vector list = list_of(pad, side);
    is_around = is_around && et_fb_count(list) == 4;
    for (uint32_t i = 0; i < 4 && is_around; i++) {
      const bool is_of_pixels = i == layout || i == layout + 1u;
      is_around =
          et_fb_u32_at(list, i) <= (is_of_pixels ? ET_CPU_MAX_WINDOW : 0);
    }
  }
  return is_around;
}

/* Returns true if the layer's windows may have padding. Pointwise convolutions may not: they are
 * GEMMs, which are faster than windows of one pixel. */
static bool has_windows(const et_xnn_node *layer) {
  et_xnn_window w;
  return et_xnn_window_of(layer, &w) && !et_xnn_is_pixel(&w);
}

void et_xnn_fold_pad(const et_xnn_node *pad, et_xnn_layout layout,
                     et_xnn_node *layer) {
  const et_fb_vector before = list_of(pad, 0);
  const et_fb_vector after = list_of(pad, 1);
  for (uint32_t i = 0; i < 2; i++) {
    layer->zeros_before[i] += et_fb_i32_at(before, layout + i);
    layer->zeros_after[i] += et_fb_i32_at(after, layout + i);
  }
  layer->inputs[0] = pad->inputs[0];
}

/* Returns true if the layer's windows are still valid with this padding. */
static bool fits(const et_xnn_node *pad, et_xnn_layout layout,
                 const et_xnn_node *layer) {
  et_xnn_node padded = *layer;
  et_xnn_window w;
  et_xnn_fold_pad(pad, layout, &padded);
  return et_xnn_window_of(&padded, &w);
}

uint32_t et_xnn_find_pad(et_xnn_uses *uses, const et_xnn_graph *graph,
                         uint32_t reader, et_xnn_layout layout,
                         const et_xnn_node *layer) {
  if (!has_windows(layer)) {
    return NONE;
  }
  const uint32_t read = et_xnn_node_at(graph, reader).inputs[0];
  const uint32_t index = et_xnn_sole_writer(uses, graph, reader, read);
  if (index == NONE) {
    return NONE;
  }
  const et_xnn_node pad = et_xnn_node_at(graph, index);
  return pad.tag == ET_XNN_NODE_PAD && pads_with_zeros(graph, &pad) &&
                 pads_image_only(&pad, layout) && fits(&pad, layout, layer)
             ? index
             : NONE;
}
