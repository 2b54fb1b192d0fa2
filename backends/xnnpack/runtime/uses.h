/* Which nodes write and read a value. */
#ifndef BACKENDS_XNNPACK_RUNTIME_USES_H_
#define BACKENDS_XNNPACK_RUNTIME_USES_H_

#include "backends/xnnpack/runtime/node.h"

/* Values whose readers are counted: there is no memory for more, and files have a
 * hundredth of them. Those behind count as read by several nodes. */
#define ET_XNN_USES 65536

/* How many nodes before or behind one are looked at for who writes or reads what it
 * has: what stands farther away is not computed with it. Without a bound, the time
 * could grow with the square of the nodes. */
#define ET_XNN_NEAR 64

#define ET_XNN_NO_NODE UINT32_MAX

/* Nodes that are remembered to end no strip (chain.h), which is asked of each several
 * times. */
#define ET_XNN_REMEMBERED 256

/* How often values are read. Zero is how it begins; all nodes are read once, when it is
 * asked for the first time. All nodes must have been checked. */
typedef struct et_xnn_uses {
  bool is_known;
  uint64_t once[ET_XNN_USES / 64];       /* a bit for each value: it is read, */
  uint64_t again[ET_XNN_USES / 64];      /* and more than once */
  uint32_t no_strips[ET_XNN_REMEMBERED]; /* nodes + 1, each in one place */
} et_xnn_uses;

/* The node near behind node `writer` that alone reads value `id`, which `writer` makes
 * and which is none of the delegate's arguments, and does so once; ET_XNN_NO_NODE when
 * there is none. */
uint32_t et_xnn_sole_reader(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t writer, uint32_t id);

/* The node near before node `reader` that makes value `id`, which `reader` reads, for
 * it alone; ET_XNN_NO_NODE when there is none. */
uint32_t et_xnn_sole_writer(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t reader, uint32_t id);

#endif /* BACKENDS_XNNPACK_RUNTIME_USES_H_ */
