/* A small pool of POSIX threads that run methods, for programs without their own pool. */
#ifndef BACKENDS_CPU_THREADS_POOL_H_
#define BACKENDS_CPU_THREADS_POOL_H_

#include <pthread.h>
#ifndef __cplusplus
#include <stdatomic.h>
#endif
#include <stdbool.h>
#include <stddef.h>

#include "executorch/parallel.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ET_CPU_POOL_MAX_THREADS 64
#define ET_CPU_POOL_LINE 64 /* bytes; avoids false sharing */

/* C++ has no C atomics before C++23. C++ code only reserves memory for a pool and does not access
 * its members, so the members have plain types of the same sizes there (checked in pool.c). */
#ifdef __cplusplus
#define ET_CPU_POOL_ALIGNED alignas(ET_CPU_POOL_LINE)
#define ET_CPU_POOL_ATOMIC(atomic, plain) plain
#else
#define ET_CPU_POOL_ALIGNED _Alignas(ET_CPU_POOL_LINE)
#define ET_CPU_POOL_ATOMIC(atomic, plain) atomic
#endif

struct et_cpu_pool;

/* Chunks [end - unclaimed, end) of the current work. If ops have the same size, a thread gets the
 * same chunks, whose data is in its caches. */
typedef struct et_cpu_pool_share {
  ET_CPU_POOL_ALIGNED ET_CPU_POOL_ATOMIC(atomic_size_t,
                                         size_t) unclaimed; /* chunks left */
  size_t end;
  struct et_cpu_pool *pool;
} et_cpu_pool_share;

/* A pool, in caller-provided memory. It must not move between create and destroy. Callers use
 * only `parallel`. */
typedef struct et_cpu_pool {
  et_parallel parallel; /* for et_method_options.parallel */
  void (*function)(void *data, size_t index);
  void *data;
  pthread_t threads[ET_CPU_POOL_MAX_THREADS];
  pthread_mutex_t mutex;
  pthread_cond_t work; /* signaled when work is published or the pool ends */
  pthread_cond_t idle; /* signaled when all chunks have finished */
  ET_CPU_POOL_ATOMIC(atomic_flag, bool) is_busy;
  ET_CPU_POOL_ATOMIC(atomic_bool, bool) is_ending;
  /* share [0] belongs to the caller */
  et_cpu_pool_share shares[ET_CPU_POOL_MAX_THREADS];
  ET_CPU_POOL_ALIGNED ET_CPU_POOL_ATOMIC(
      atomic_size_t, size_t) works; /* number of the latest published work */
  ET_CPU_POOL_ALIGNED ET_CPU_POOL_ATOMIC(atomic_size_t, size_t) unfinished;
  ET_CPU_POOL_ALIGNED ET_CPU_POOL_ATOMIC(
      atomic_size_t, size_t) sleepers; /* number of sleeping threads */
} et_cpu_pool;

/* Starts thread_count - 1 threads. The caller of a method is the remaining thread. The threads
 * block all signals. Clears the error. Fails with INVALID_ARGUMENT unless 1 <= thread_count <=
 * ET_CPU_POOL_MAX_THREADS, and with OUT_OF_RESOURCES if the system cannot start the threads. After
 * a failure, there is nothing to destroy. */
et_status et_cpu_pool_create(et_cpu_pool *pool, size_t thread_count,
                             et_error *error);

/* Ends the threads. No method that uses the pool may be running. */
void et_cpu_pool_destroy(et_cpu_pool *pool);

#ifdef __cplusplus
}
#endif

#endif /* BACKENDS_CPU_THREADS_POOL_H_ */
