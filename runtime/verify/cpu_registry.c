/* The registry with the CPU backend, which verifies the payloads of its
 * delegates. */
#include <stddef.h>

#include "backends/cpu/runtime/cpu_backend.h"
#include "runtime/verify/registry.h"

#define DECLARE(kind) extern const et_backend_part et_cpu_step_##kind;
CPU_KINDS(DECLARE)

#define ADDRESS(kind) &et_cpu_step_##kind,
static const et_backend_part *const cpu_steps[] = {CPU_KINDS(ADDRESS)};

static const et_backend *const backends[] = {&et_cpu_backend};
static const et_backend_parts parts[] = {
    {cpu_steps, sizeof cpu_steps / sizeof *cpu_steps}};

const et_registry et_verify_registry = {.kernels = &et_kernel_signatures,
                                        .backends = backends,
                                        .backend_count = 1,
                                        .parts = parts,
                                        .delegation = &et_delegation,
                                        .views = &et_views,
                                        .branching = &et_branching,
                                        .ranges = &et_ranges};
