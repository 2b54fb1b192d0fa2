/* Sharing an op's work out among the caller's threads. */
#ifndef BACKENDS_CPU_OPS_CHUNKS_H_
#define BACKENDS_CPU_OPS_CHUNKS_H_

#include "backends/cpu/ops/op.h"

/* Calls function(data, i) for each i < count, on the caller's threads if it has
 * lent any. */
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

/* Threads that may work at once. */
static inline size_t et_cpu_threads(const et_cpu_run *run) {
  return run->parallel == NULL || run->parallel->thread_count < 1
             ? 1
             : run->parallel->thread_count;
}

/* Threads to share work out among, when so many workspaces are there. */
static inline size_t et_cpu_lanes(const et_cpu_run *run, size_t workspaces) {
  const size_t threads = et_cpu_threads(run);
  return threads < workspaces ? threads : workspaces;
}

/* Parts of `size` elements that cover `total`. */
static inline size_t et_cpu_parts(size_t total, size_t size) {
  return total / size + (total % size != 0 ? 1 : 0);
}

/* Size of part `index`. */
static inline size_t et_cpu_part(size_t total, size_t size, size_t index) {
  const size_t left = total - index * size;
  return left < size ? left : size;
}

/* The size of parts of at most `most` of `total`, which is not 0: as many parts as these are,
 * and some for each lane, but of like size, as a small last one may cost as much as any. */
static inline size_t et_cpu_even_part(size_t total, size_t most, size_t lanes) {
  const size_t parts = et_cpu_parts(total, most);
  return et_cpu_parts(total, et_cpu_parts(parts, lanes) * lanes);
}

#endif /* BACKENDS_CPU_OPS_CHUNKS_H_ */
