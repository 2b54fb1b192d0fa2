/* All kernels and backends of this project: the programs are known only when run. */
#include "backends/cpu/runtime/cpu_backend.h"
#include "executorch/backend.h"
#include "executorch/kernel.h"

extern const et_kernel_table et_all_kernels;
extern const et_registry bench_registry;

#define DECLARE(kind) extern const et_backend_part et_cpu_step_##kind;
CPU_KINDS(DECLARE)

#define ADDRESS(kind) &et_cpu_step_##kind,
static const et_backend_part *const cpu_steps[] = {CPU_KINDS(ADDRESS)};

static const et_backend *const backends[] = {&et_cpu_backend};
static const et_backend_parts parts[] = {
    {cpu_steps, sizeof cpu_steps / sizeof *cpu_steps}};

const et_registry bench_registry = {&et_all_kernels, backends, 1, parts};
