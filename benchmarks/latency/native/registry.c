/* All kernels and backends of this project: the programs are known only when run. */
#include "executorch/backend.h"
#include "executorch/kernel.h"

extern const et_kernel_table et_all_kernels;
extern const et_registry bench_registry;

const et_registry bench_registry = {&et_all_kernels, NULL, 0};
