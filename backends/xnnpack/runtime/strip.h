/* Row tiling of inverted residuals: expand, depthwise convolution, project. */
#ifndef BACKENDS_XNNPACK_RUNTIME_STRIP_H_
#define BACKENDS_XNNPACK_RUNTIME_STRIP_H_

#include "backends/xnnpack/runtime/group.h"

/* Returns whether three float layers can be one mbconv_f32, and are faster so, at the sizes
 * that the payload declares. */
bool et_xnn_prefers_strip(const et_xnn_graph *graph, const et_xnn_part *part);

/* Returns whether such a block can read the output of another one row by row, and the image
 * between them is large enough. */
bool et_xnn_expands_rows(const et_xnn_graph *graph, const et_xnn_part *part);

#endif /* BACKENDS_XNNPACK_RUNTIME_STRIP_H_ */
