/* Which nodes write and read a value. */
#ifndef BACKENDS_XNNPACK_RUNTIME_USES_H_
#define BACKENDS_XNNPACK_RUNTIME_USES_H_

#include "backends/xnnpack/runtime/node.h"

/* Values of a part, and parts that are known at once: there is no memory for those of
 * all. Nodes that follow each other may ask about values of several parts. */
#define ET_XNN_USES 512
#define ET_XNN_USES_PARTS 4

#define ET_XNN_NO_NODE UINT32_MAX

typedef struct et_xnn_uses_part {
  uint32_t first; /* value, a multiple of ET_XNN_USES */
  bool is_known;
  uint32_t writers[ET_XNN_USES];
  uint32_t readers[ET_XNN_USES];
} et_xnn_uses_part;

/* Nodes are read once for each part of the values that is asked for. Zero is how it
 * begins. All nodes must have been checked. */
typedef struct et_xnn_uses {
  et_xnn_uses_part parts[ET_XNN_USES_PARTS]; /* each has one place */
} et_xnn_uses;

/* The node that alone reads value `id`, which is none of the delegate's arguments,
 * and does so once; ET_XNN_NO_NODE when there is none. */
uint32_t et_xnn_sole_reader(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t id);

/* The node that makes value `id` for node `reader` alone and stands before it, or
 * ET_XNN_NO_NODE. */
uint32_t et_xnn_sole_writer(et_xnn_uses *uses, const et_xnn_graph *graph,
                            uint32_t reader, uint32_t id);

#endif /* BACKENDS_XNNPACK_RUNTIME_USES_H_ */
