#include "backends/xnnpack/runtime/uses.h"

#define NONE ET_XNN_NO_NODE

static void note(et_xnn_uses *uses, uint32_t id) {
  if (id < ET_XNN_USES) {
    const uint64_t bit = UINT64_C(1) << id % 64;
    uses->again[id / 64] |= uses->once[id / 64] & bit;
    uses->once[id / 64] |= bit;
  }
}

static void count_all(et_xnn_uses *uses, const et_xnn_graph *graph) {
  uses->is_known = true;
  for (uint32_t i = 0; i < et_fb_count(graph->nodes); i++) {
    const et_xnn_node node = et_xnn_node_at(graph, i);
    for (uint8_t k = 0; k < node.input_count; k++) {
      note(uses, node.inputs[k]);
    }
  }
}

/* Returns true if the value is read exactly once by nodes and is neither a constant nor an
 * argument. */
static bool is_read_once(et_xnn_uses *uses, const et_xnn_graph *graph,
                         uint32_t id) {
  const et_xnn_value value = et_xnn_value_at(graph, id);
  if (value.constant != 0 || value.external != ET_XNN_NO_VALUE ||
      id >= ET_XNN_USES) {
    return false;
  }
  if (!uses->is_known) {
    count_all(uses, graph);
  }
  const uint64_t bit = UINT64_C(1) << id % 64;
  return (uses->once[id / 64] & ~uses->again[id / 64] & bit) != 0;
}

static bool has(const uint32_t *ids, uint8_t count, uint32_t id) {
  uint8_t i = 0;
  while (i < count && ids[i] != id) {
    i++;
  }
  return i < count;
}

uint32_t et_xnn_sole_reader(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t writer, uint32_t id) {
  const uint32_t left = et_fb_count(graph->nodes) - 1 - writer;
  const uint32_t near = left < ET_XNN_NEAR ? left : ET_XNN_NEAR;
  if (!is_read_once(uses, graph, id)) {
    return NONE;
  }
  for (uint32_t i = 1; i <= near; i++) {
    const et_xnn_node node = et_xnn_node_at(graph, writer + i);
    if (has(node.inputs, node.input_count, id)) {
      return writer + i;
    }
  }
  return NONE;
}

uint32_t et_xnn_sole_writer(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t reader, uint32_t id) {
  const uint32_t near = reader < ET_XNN_NEAR ? reader : ET_XNN_NEAR;
  if (!is_read_once(uses, graph, id)) {
    return NONE;
  }
  for (uint32_t i = 1; i <= near; i++) {
    const et_xnn_node node = et_xnn_node_at(graph, reader - i);
    if (has(node.outputs, node.output_count, id)) {
      return reader - i;
    }
  }
  return NONE;
}
