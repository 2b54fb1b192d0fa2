/* Assigns scratch memory to the values of the graph and runs the rules of all groups. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PLAN_H_
#define BACKENDS_XNNPACK_RUNTIME_PLAN_H_

#include "backends/xnnpack/runtime/builder.h"

/* Runs the rules of all groups, in the mode of `b`. */
et_status et_xnn_apply_all(et_xnn_builder *b);

/* Assigns offsets in scratch, such that values that are alive at the same time do not overlap. Sets
 * *out_bytes to the size of scratch. Writes offsets to the slots and rooms of `handle` unless it is
 * NULL. `counting` is a builder in mode COUNT. Nodes are visited from last to first, so that only
 * live values are stored, in a fixed array. */
et_status et_xnn_plan(et_xnn_builder *counting, et_xnn_handle *handle,
                      size_t *out_bytes);

#endif /* BACKENDS_XNNPACK_RUNTIME_PLAN_H_ */
