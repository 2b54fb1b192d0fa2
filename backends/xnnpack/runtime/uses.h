/* Readers and writers of values. */
#ifndef BACKENDS_XNNPACK_RUNTIME_USES_H_
#define BACKENDS_XNNPACK_RUNTIME_USES_H_

#include "backends/xnnpack/runtime/node.h"

/* Number of values whose readers are counted. Values with larger ids are treated as read several
 * times. A fixed size avoids allocation. Real files have about 1 % of this number of values. */
#define ET_XNN_USES 65536

/* Maximum distance, in nodes, between the writer and the reader of a value if they are fused. It
 * keeps the search linear in the number of nodes. */
#define ET_XNN_NEAR 64

#define ET_XNN_NO_NODE UINT32_MAX

/* Number of cache entries for nodes that do not end a block (group.h). The cache is queried several
 * times for each node. */
#define ET_XNN_CACHED_NODES 256

/* Number of readers of each value: none, one or more. Must be zero-initialized. The first query
 * counts the readers of all nodes, which must have been checked. */
typedef struct et_xnn_uses {
  bool is_known;
  uint64_t once[ET_XNN_USES / 64];  /* a bit per value: read at least once */
  uint64_t again[ET_XNN_USES / 64]; /* a bit per value: read more than once */
  uint32_t
      no_blocks[ET_XNN_CACHED_NODES]; /* direct-mapped cache: node index + 1 */
} et_xnn_uses;

/* Returns the only reader of value `id`, an output of node `writer`, within ET_XNN_NEAR nodes after
 * it. Returns ET_XNN_NO_NODE if no node reads the value, if it is read twice, or if it is an
 * argument of the delegate. */
uint32_t et_xnn_sole_reader(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t writer, uint32_t id);

/* Returns the node that writes value `id` within ET_XNN_NEAR nodes before `reader`. Returns
 * ET_XNN_NO_NODE if there is none or if `reader` is not its only reader. */
uint32_t et_xnn_sole_writer(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t reader, uint32_t id);

#endif /* BACKENDS_XNNPACK_RUNTIME_USES_H_ */
