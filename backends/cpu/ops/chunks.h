/* Division of an op's work among the threads of the caller. */
#ifndef BACKENDS_CPU_OPS_CHUNKS_H_
#define BACKENDS_CPU_OPS_CHUNKS_H_

#include "backends/cpu/ops/op.h"
#include "runtime/core/arithmetic.h"

/* Calls function(data, i) for each i < count. Uses the caller's threads if there are several. */
static inline void et_cpu_for_each(const et_cpu_run *run, size_t count,
                                   void (*function)(void *data, size_t index),
                                   void *data) {
  if (run->parallel != NULL && run->parallel->thread_count > 1 && count > 1) {
    run->parallel->run(run->parallel->context, count, function, data);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    function(data, i);
  }
}

/* Returns the maximum number of concurrent threads, at least 1. */
static inline size_t et_cpu_threads(const et_cpu_run *run) {
  return run->parallel == NULL || run->parallel->thread_count < 1
             ? 1
             : run->parallel->thread_count;
}

/* Returns the number of threads that can work concurrently with `workspaces` workspaces. */
static inline size_t et_cpu_lanes(const et_cpu_run *run, size_t workspaces) {
  const size_t threads = et_cpu_threads(run);
  return threads < workspaces ? threads : workspaces;
}

/* Returns the number of parts of `size` elements that cover `total`: ceil(total / size). */
static inline size_t et_cpu_parts(size_t total, size_t size) {
  return total / size + (total % size != 0 ? 1 : 0);
}

/* Returns the size of part `index`. Only the last part may be smaller than `size`. */
static inline size_t et_cpu_part(size_t total, size_t size, size_t index) {
  const size_t left = total - index * size;
  return left < size ? left : size;
}

/* Returns a part size of at most `max`. The number of parts is close to a multiple of `lanes`, and
 * parts have similar sizes, because a small last part can take as long as the others. `total` must
 * not be 0. */
static inline size_t et_cpu_even_part(size_t total, size_t max, size_t lanes) {
  const size_t parts = et_cpu_parts(total, max);
  return et_cpu_parts(total, et_cpu_parts(parts, lanes) * lanes);
}

#endif /* BACKENDS_CPU_OPS_CHUNKS_H_ */
