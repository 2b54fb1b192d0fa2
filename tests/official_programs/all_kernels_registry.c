/* All kernels and backends of the rules, for programs that are unknown at build time. */
#include "executorch/backend.h"

extern const et_kernel_table et_all_kernels;
extern const et_backend et_compiler_demo_backend;
extern const et_backend et_mapping_demo_backend;
extern const et_backend et_xnnpack_backend;
extern const et_registry et_linked_registry;

static const et_backend *const backends[] = {
    &et_compiler_demo_backend, &et_mapping_demo_backend, &et_xnnpack_backend};

const et_registry et_linked_registry = {
    &et_all_kernels,          backends,        3,         NULL,
    &et_delegation,           &et_preparation, &et_views, &et_branching,
    &et_ranges_and_conditions};
