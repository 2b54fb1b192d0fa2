/* The caller's worker threads, for kernels and backends.
 *
 * The runtime creates no threads. */
#ifndef EXECUTORCH_PARALLEL_H_
#define EXECUTORCH_PARALLEL_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct et_parallel {
  void *context;
  size_t thread_count; /* upper bound on concurrent calls of `function`; >= 1 */
  /* Calls function(data, i) once for each i < count, in any order and on any
   * thread. Returns after all calls have returned. `function` does not call
   * `run`. */
  void (*run)(void *context, size_t count,
              void (*function)(void *data, size_t index), void *data);
} et_parallel;

#ifdef __cplusplus
}
#endif
#endif /* EXECUTORCH_PARALLEL_H_ */
