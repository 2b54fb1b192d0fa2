/* Direct-mapped caches of values, nodes and constants. Rules and groups read the same entries many
 * times. */
#ifndef BACKENDS_XNNPACK_RUNTIME_RECENT_H_
#define BACKENDS_XNNPACK_RUNTIME_RECENT_H_

#include "backends/xnnpack/runtime/node.h"

#define ET_XNN_RECENT 64

/* Entries are indexed by id modulo ET_XNN_RECENT. The caches are on the stack for one call of the
 * backend. A graph that outlives the call must reset its pointer. */
typedef struct et_xnn_recent {
  uint32_t value_ids[ET_XNN_RECENT]; /* ET_XNN_NO_VALUE if empty */
  uint32_t node_indices[ET_XNN_RECENT];
  uint32_t constant_indices[ET_XNN_RECENT];
  et_xnn_value values[ET_XNN_RECENT];
  et_xnn_node nodes[ET_XNN_RECENT];
  et_span constants[ET_XNN_RECENT]; /* their bytes */
} et_xnn_recent;

/* Clears the caches and attaches them to `graph`. */
static inline void et_xnn_attach_caches(et_xnn_graph *graph,
                                        et_xnn_recent *recent) {
  for (size_t i = 0; i < ET_XNN_RECENT; i++) {
    recent->value_ids[i] = recent->node_indices[i] = ET_XNN_NO_VALUE;
    recent->constant_indices[i] = ET_XNN_NO_VALUE;
  }
  graph->recent = recent;
}

#endif /* BACKENDS_XNNPACK_RUNTIME_RECENT_H_ */
