/* Where in scratch the graph's values lie, and what its ops take. */
#ifndef BACKENDS_XNNPACK_RUNTIME_PLAN_H_
#define BACKENDS_XNNPACK_RUNTIME_PLAN_H_

#include "backends/xnnpack/runtime/builder.h"

/* Runs the rules of all nodes as `b` says. */
et_status et_xnn_apply_all(et_xnn_builder *b);

/* Lays values out, those that live at the same time apart from each other, and
 * says how many bytes they take. Notes where in the slots and rooms of `handle`,
 * unless that is NULL. Needs no memory: nodes are walked from the last to the first,
 * and just the values that live there are known. */
et_status et_xnn_plan(et_xnn_builder *counting, et_xnn_handle *handle,
                      size_t *out_bytes);

#endif /* BACKENDS_XNNPACK_RUNTIME_PLAN_H_ */
