// Tests a thread pool in memory that C++ reserves.
#include <cstring>

#include "backends/cpu/threads/pool.h"

namespace {
struct {
  et_cpu_pool pool;
  char after[64];
} memory;
}  // namespace

int main() {
  std::memset(memory.after, 1, sizeof memory.after);
  et_error error = ET_ERROR_INIT;
  if (et_cpu_pool_create(&memory.pool, ET_CPU_POOL_MAX_THREADS, &error) !=
      ET_STATUS_OK) {
    return 1;
  }
  et_cpu_pool_destroy(&memory.pool);
  for (const char byte : memory.after) {
    if (byte != 1) {
      return 2;
    }
  }
  return error.status == ET_STATUS_OK ? 0 : 3;
}
