/* Without backends: methods that have delegates are not loaded. */
#include <stddef.h>

#include "runtime/verify/registry.h"

const et_registry et_verify_registry = {
    &et_kernel_signatures, NULL, 0, NULL, NULL, NULL, &et_views, &et_branching};
