/* The size of a thread pool, for which the crate allocates memory. */
#include <stddef.h>

#include "backends/cpu/threads/pool.h"

extern const size_t et_rust_pool_bytes;
const size_t et_rust_pool_bytes = sizeof(et_cpu_pool);

_Static_assert(offsetof(et_cpu_pool, parallel) == 0,
               "the crate passes the address of a pool as an et_parallel");
_Static_assert(_Alignof(et_cpu_pool) <= 64,
               "the crate aligns the memory to 64 bytes");
