/* Measuring and making a handle. */
#ifndef BACKENDS_XNNPACK_RUNTIME_BUILD_H_
#define BACKENDS_XNNPACK_RUNTIME_BUILD_H_

#include "backends/xnnpack/runtime/handle.h"

/* Verifies the payload and says what its delegate needs. */
et_status et_xnn_measure(const et_backend_context *context,
                         et_backend_requirements *out);

/* Makes the handle in the context's arena. */
et_status et_xnn_build(const et_backend_context *context, uint8_t isa,
                       et_xnn_handle **out);

#endif /* BACKENDS_XNNPACK_RUNTIME_BUILD_H_ */
