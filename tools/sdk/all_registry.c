#include "executorch/all_registry.h"

#include "backends/cpu/runtime/cpu_backend.h"

/* Programs of //runtime/replay look for the registry by another name. */
#ifndef ALL_REGISTRY
#define ALL_REGISTRY et_all_registry
#endif

extern const et_registry ALL_REGISTRY;
extern const et_kernel_table et_all_kernels;
extern const et_backend et_xnnpack_backend;

#define DECLARE(kind) extern const et_backend_part et_cpu_op_##kind;
CPU_OPS(DECLARE)

#define ADDRESS(kind) &et_cpu_op_##kind,
static const et_backend_part *const cpu_ops[] = {CPU_OPS(ADDRESS)};

static const et_backend *const backends[] = {&et_cpu_backend,
                                             &et_xnnpack_backend};
static const et_backend_parts parts[sizeof backends / sizeof *backends] = {
    {cpu_ops, sizeof cpu_ops / sizeof *cpu_ops}};

const et_registry ALL_REGISTRY = {
    &et_all_kernels, backends,       sizeof backends / sizeof *backends,
    parts,           &et_delegation, &et_preparation,
    &et_views,       &et_branching,  &et_ranges_and_conditions};
