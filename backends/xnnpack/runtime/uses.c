#include "backends/xnnpack/runtime/uses.h"

#define NONE ET_XNN_NO_NODE
#define SEVERAL (UINT32_MAX - 1)

static void note(const et_xnn_uses_part *uses, uint32_t *nodes, uint32_t id,
                 uint32_t node) {
  if (id - uses->first < ET_XNN_USES) {
    uint32_t *of = &nodes[id - uses->first];
    *of = *of == NONE ? node : SEVERAL;
  }
}

static void find(et_xnn_uses_part *uses, const et_xnn_graph *graph,
                 uint32_t id) {
  uses->first = id / ET_XNN_USES * ET_XNN_USES;
  uses->is_known = true;
  for (size_t i = 0; i < ET_XNN_USES; i++) {
    uses->writers[i] = uses->readers[i] = NONE;
  }
  for (uint32_t i = 0; i < graph->nodes.count; i++) {
    const et_xnn_node node = et_xnn_node_at(graph, i);
    for (uint8_t k = 0; k < node.input_count; k++) {
      note(uses, uses->readers, node.inputs[k], i);
    }
    for (uint8_t k = 0; k < node.output_count; k++) {
      note(uses, uses->writers, node.outputs[k], i);
    }
  }
}

static const et_xnn_uses_part *part_of(et_xnn_uses *uses,
                                       const et_xnn_graph *graph, uint32_t id) {
  et_xnn_uses_part *part = &uses->parts[id / ET_XNN_USES % ET_XNN_USES_PARTS];
  if (!part->is_known || id - part->first >= ET_XNN_USES) {
    find(part, graph, id);
  }
  return part;
}

uint32_t et_xnn_sole_reader(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t id) {
  const et_xnn_value value = et_xnn_value_at(graph, id);
  const et_xnn_uses_part *part = part_of(uses, graph, id);
  const uint32_t reader = part->readers[id - part->first];
  const bool is_inner =
      value.constant == 0 && value.external == ET_XNN_NO_VALUE;
  return is_inner && reader != SEVERAL ? reader : NONE;
}

uint32_t et_xnn_sole_writer(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t reader, uint32_t id) {
  if (et_xnn_sole_reader(uses, graph, id) != reader) {
    return NONE;
  }
  const et_xnn_uses_part *part = part_of(uses, graph, id);
  const uint32_t writer = part->writers[id - part->first];
  return writer < reader ? writer : NONE;
}
