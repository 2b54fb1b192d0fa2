/* Measuring and making a handle. */
#ifndef BACKENDS_XNNPACK_RUNTIME_BUILD_H_
#define BACKENDS_XNNPACK_RUNTIME_BUILD_H_

#include "backends/xnnpack/runtime/handle.h"

/* What a delegate needs, counted. */
typedef struct et_xnn_sizes {
  et_xnn_counts counts;
  uint32_t nodes;
  uint32_t arguments; /* of its calls */
  size_t outputs;     /* of them */
  size_t scratch_bytes;
} et_xnn_sizes;

/* Verifies the payload and counts. */
et_status et_xnn_size_up(const et_backend_context *context, et_xnn_sizes *out);

/* The same as the runtime asks for it. */
et_status et_xnn_measure(const et_backend_context *context,
                         et_backend_requirements *out);

/* Makes the handle in the context's arena. */
et_status et_xnn_build(const et_backend_context *context, uint8_t isa,
                       et_xnn_handle **out);

#endif /* BACKENDS_XNNPACK_RUNTIME_BUILD_H_ */
