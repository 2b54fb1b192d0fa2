/* Row tiling of inverted residuals: expand, depthwise convolution, project. */
#ifndef BACKENDS_XNNPACK_RUNTIME_STRIP_H_
#define BACKENDS_XNNPACK_RUNTIME_STRIP_H_

#include "backends/xnnpack/runtime/group.h"

/* Returns whether three float layers can become one mbconv_f32 op that is faster at the sizes that
 * the payload declares. */
bool et_xnn_prefers_strip(const et_xnn_graph *graph, const et_xnn_part *part);

/* Returns whether such a block can read the output of another block row by row, and whether the
 * image between them is large enough. */
bool et_xnn_expands_rows(const et_xnn_graph *graph, const et_xnn_part *part);

#endif /* BACKENDS_XNNPACK_RUNTIME_STRIP_H_ */
