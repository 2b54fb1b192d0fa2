#include "backends/xnnpack/runtime/group.h"

#include "backends/xnnpack/runtime/chain.h"
#include "backends/xnnpack/runtime/convolution.h"
#include "backends/xnnpack/runtime/planar.h"

/* Fuses the transpose before the first layer. The input of the transpose becomes that of the
 * group. */
static void read_planar_input(const et_xnn_nodes *n, et_xnn_group *group) {
  et_xnn_node *first =
      group->part_count > 0 ? &group->parts[0].expand : &group->node;
  et_xnn_read_planar(n, first);
  group->node.inputs[ET_XNN_CONV_X] = first->inputs[ET_XNN_CONV_X];
  group->node.reads_planar = first->reads_planar;
}

bool et_xnn_group_of(et_xnn_uses *uses, const et_xnn_graph *graph,
                     uint32_t index, et_xnn_group *out) {
  const et_xnn_nodes n = {uses, graph};
  if (et_xnn_last_of(&n, index) != index || et_xnn_permutes_planar(&n, index) ||
      et_xnn_is_in_chain(&n, index)) {
    return false;
  }
  if (!et_xnn_chain_of(&n, index, out)) {
    out->node = et_xnn_layer_of(&n, index);
    out->part_count = 0;
  }
  read_planar_input(&n, out);
  return true;
}
