#include "backends/cpu/schema/permute.h"
#include "backends/cpu/schema/round_rows.h"
#include "backends/xnnpack/runtime/rules.h"
#include "backends/xnnpack/runtime/words.h"

/* Copies rows. The linear layers that read the rows quantize them. */
static void copy_rows(et_xnn_builder *b, const et_xnn_dims *dims) {
  uint32_t order[ET_XNN_MAX_DIMS];
  for (uint32_t i = 0; i < ET_XNN_MAX_DIMS; i++) {
    order[i] = i;
  }
  const et_xnn_tensor x = et_xnn_tensor_of(b, b->node->inputs[0]);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_cpu_op_permute,
                            .inputs = &x,
                            .input_count = 1,
                            .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                            .words = order,
                            .word_count = dims->rank});
}

static void round_rows(et_xnn_builder *b, uint32_t row_dims, bool is_half) {
  const et_xnn_tensor x = et_xnn_floats_of(b, b->node->inputs[0]);
  const et_cpu_round_rows_attributes attributes = {(int32_t)row_dims, is_half};
  uint32_t words[ET_CPU_ROUND_ROWS_ATTRIBUTES_WORDS];
  et_cpu_round_rows_attributes_write(&attributes, words);
  et_xnn_emit(
      b, &(et_xnn_emission){.part = &et_xnn_op_round_rows,
                            .inputs = &x,
                            .input_count = 1,
                            .output = et_xnn_tensor_of(b, b->node->outputs[0]),
                            .words = words,
                            .word_count = ET_CPU_ROUND_ROWS_ATTRIBUTES_WORDS});
}

/* Returns true if `node` is a pointwise convolution with one group. */
static bool multiplies_pixels(const et_xnn_node *node) {
  et_xnn_window window;
  return node->tag == ET_XNN_NODE_CONVOLUTION &&
         et_fb_u32(node->body, ET_XNN_CONV_GROUPS) == 1 &&
         et_xnn_window_of(node, &window) && et_xnn_is_pixel(&window);
}

/* Returns the number of trailing dims that share a range. XNNPACK computes a 1 x 1 convolution with
 * one group as a linear layer, so each pixel of its input has its own range, even if the payload
 * declares otherwise. */
static uint32_t row_dims_of(const et_xnn_builder *b, const et_xnn_value *y) {
  const uint32_t id = b->node->outputs[0];
  const uint32_t first = b->node->index + 1;
  const uint32_t left = et_fb_count(b->graph->nodes) - first;
  const uint32_t near = left < ET_XNN_NEAR ? left : ET_XNN_NEAR;
  for (uint32_t i = first; i < first + near; i++) {
    const et_xnn_node reader = et_xnn_node_at(b->graph, i);
    if (reader.input_count > 0 && reader.inputs[0] == id &&
        multiplies_pixels(&reader)) {
      return 1;
    }
  }
  return y->quantization.row_dims;
}

static void make_rows(et_xnn_builder *b, const et_xnn_value *x,
                      const et_xnn_value *y, const et_xnn_dims *dims) {
  if (x->datatype == ET_XNN_FP32 && y->quantization.row_dims == 1) {
    copy_rows(b, dims);
  } else {
    round_rows(b, row_dims_of(b, y), x->datatype == ET_XNN_FP16);
  }
}

void et_xnn_convert(et_xnn_builder *b) {
  const et_xnn_value x = et_xnn_input(b, 0);
  const et_xnn_value y = et_xnn_output(b, 0);
  const et_xnn_dims dims = et_xnn_dims_of(b, b->node->inputs[0]);
  if (et_xnn_same_quantization(&x, &y)) {
    et_xnn_copy(b);
    return;
  }
  et_xnn_infer(b, 0, &dims);
  if (y.datatype == ET_XNN_QDINT8) {
    make_rows(b, &x, &y, &dims);
  } else if (y.datatype == ET_XNN_FP32) {
    et_xnn_read_floats(b, b->node->inputs[0],
                       et_xnn_tensor_of(b, b->node->outputs[0]));
  } else {
    et_xnn_put_floats(b, b->node->outputs[0],
                      et_xnn_floats_of(b, b->node->inputs[0]));
  }
}
