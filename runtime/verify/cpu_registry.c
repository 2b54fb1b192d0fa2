/* The registry with the CPU backend, which verifies the payloads of its
 * delegates. */
#include <stddef.h>

#include "backends/cpu/runtime/cpu_backend.h"
#include "runtime/verify/registry.h"

#define DECLARE(kind) extern const et_backend_part et_cpu_op_##kind;
CPU_OPS(DECLARE)

#define ADDRESS(kind) &et_cpu_op_##kind,
static const et_backend_part *const cpu_ops[] = {CPU_OPS(ADDRESS)};

static const et_backend *const backends[] = {&et_cpu_backend};
static const et_backend_parts parts[] = {
    {cpu_ops, sizeof cpu_ops / sizeof *cpu_ops}};

const et_registry et_verify_registry = {.kernels = &et_kernel_signatures,
                                        .backends = backends,
                                        .backend_count = 1,
                                        .parts = parts,
                                        .delegation = &et_delegation,
                                        .views = &et_views,
                                        .branching = &et_branching,
                                        .ranges = &et_ranges_and_conditions};
