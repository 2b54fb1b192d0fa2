/* Measures and builds the handle of a delegate. */
#ifndef BACKENDS_XNNPACK_RUNTIME_BUILD_H_
#define BACKENDS_XNNPACK_RUNTIME_BUILD_H_

#include "backends/xnnpack/runtime/handle.h"

/* Memory that a delegate needs. */
typedef struct et_xnn_sizes {
  et_xnn_counts counts;
  uint32_t nodes;
  uint32_t arguments; /* inputs and outputs of a call */
  size_t outputs;     /* number of outputs among the arguments */
  size_t scratch_bytes;
} et_xnn_sizes;

/* Verifies the payload and counts the memory that its ops need. */
et_status et_xnn_size_up(const et_backend_context *context, et_xnn_sizes *out);

/* Reports the same counts in the form of et_backend.measure. */
et_status et_xnn_measure(const et_backend_context *context,
                         et_backend_requirements *out);

/* Builds the handle in the context's arena. Fails with DELEGATE_MEMORY if the arena is too
 * small. */
et_status et_xnn_build(const et_backend_context *context, uint8_t isa,
                       et_xnn_handle **out);

#endif /* BACKENDS_XNNPACK_RUNTIME_BUILD_H_ */
