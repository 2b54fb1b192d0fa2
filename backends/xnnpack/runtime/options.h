/* What a caller may say of XnnpackBackend when a method is loaded. */
#ifndef BACKENDS_XNNPACK_RUNTIME_OPTIONS_H_
#define BACKENDS_XNNPACK_RUNTIME_OPTIONS_H_

#include <stdbool.h>

#include "executorch/backend.h"

typedef struct et_xnn_options {
  bool is_without_winograd;
} et_xnn_options;

/* Reads them. INVALID_ARGUMENT: one that there is none of. What "isa" says is not
 * looked at. */
et_status et_xnn_read_options(const et_backend_context *context,
                              et_xnn_options *out);

/* The option of that name; NULL when there is none. */
const et_backend_option *et_xnn_find_option(const et_backend_context *context,
                                            const char *name);

#endif /* BACKENDS_XNNPACK_RUNTIME_OPTIONS_H_ */
