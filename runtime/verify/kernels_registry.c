/* The registry without backends. Methods with delegates are not loaded. */
#include "runtime/verify/registry.h"

const et_registry et_verify_registry = {.kernels = &et_kernel_signatures,
                                        .views = &et_views,
                                        .branching = &et_branching,
                                        .ranges = &et_ranges_and_conditions};
