/* The caller's workers, lent to kernels and backends. The runtime makes no threads. */
#ifndef EXECUTORCH_PARALLEL_H_
#define EXECUTORCH_PARALLEL_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct et_parallel {
  void *context;
  size_t thread_count; /* calls of `function` that may run at once; >= 1 */
  /* Calls function(data, i) once for each i < count, in any order, on any
   * thread; returns when all have returned. Not called from within `function`. */
  void (*run)(void *context, size_t count,
              void (*function)(void *data, size_t index), void *data);
} et_parallel;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_PARALLEL_H_ */
