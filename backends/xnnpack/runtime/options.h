/* Load-time options of XnnpackBackend. */
#ifndef BACKENDS_XNNPACK_RUNTIME_OPTIONS_H_
#define BACKENDS_XNNPACK_RUNTIME_OPTIONS_H_

#include <stdbool.h>

#include "executorch/backend.h"

typedef struct et_xnn_options {
  bool is_without_winograd;
} et_xnn_options;

/* Reads the options. Fails with INVALID_ARGUMENT for unknown options and values. The value of "isa"
 * is not checked here. */
et_status et_xnn_read_options(const et_backend_context *context,
                              et_xnn_options *out);

/* Returns the option with this name, or NULL. */
const et_backend_option *et_xnn_find_option(const et_backend_context *context,
                                            const char *name);

#endif /* BACKENDS_XNNPACK_RUNTIME_OPTIONS_H_ */
