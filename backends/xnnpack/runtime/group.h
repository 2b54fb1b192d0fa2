/* Nodes that are computed as one, at the place of the last of them: what lies
 * between them is read by nobody else.
 *
 * Mostly they are a layer (layer.h). One that expands, one that filters each channel
 * and one that projects are a strip of rows at a time, and strips that follow each
 * other one op where the picture between them is large (chain.h). A convolution of
 * a picture that was brought channels last for it alone reads the planes. */
#ifndef BACKENDS_XNNPACK_RUNTIME_GROUP_H_
#define BACKENDS_XNNPACK_RUNTIME_GROUP_H_

#include "backends/xnnpack/runtime/layer.h"

/* Strips of an op. */
#define ET_XNN_MOST_PARTS 4

/* A strip's layers. */
typedef struct et_xnn_part {
  et_xnn_node expand;
  et_xnn_node filter;
  et_xnn_node project;
} et_xnn_part;

typedef struct et_xnn_group {
  et_xnn_node node; /* a layer; of strips the last one, which projects, with the
                      * input of what expands first, which may be planes */
  uint8_t part_count; /* strips; 0: it is one layer */
  et_xnn_part parts[ET_XNN_MOST_PARTS];
} et_xnn_group;

/* Sets *out to the nodes that end with node `index`. False: a later one computes it,
 * and nothing is left to do. All nodes must have been checked. */
bool et_xnn_group_of(et_xnn_uses *uses, const et_xnn_graph *graph,
                     uint32_t index, et_xnn_group *out);

#endif /* BACKENDS_XNNPACK_RUNTIME_GROUP_H_ */
