/* An empty registry, to link only the core. */
#include "executorch/backend.h"

extern const et_registry et_linked_registry;

static const et_kernel_table no_kernels = {NULL, 0};
const et_registry et_linked_registry = {.kernels = &no_kernels};
