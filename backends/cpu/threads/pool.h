/* A small pool of POSIX threads to lend to methods, for programs that have none of
 * their own. */
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
#define ET_CPU_POOL_LINE 64 /* bytes: what threads write apart lies apart */

/* C++ has no C atomics before C++23, and reserves memory for a pool without using its members: it sees plain members of
 * the same sizes (checked in pool.c). */
#ifdef __cplusplus
#define ET_CPU_POOL_ALIGNED alignas(ET_CPU_POOL_LINE)
#define ET_CPU_POOL_ATOMIC(atomic, plain) plain
#else
#define ET_CPU_POOL_ALIGNED _Alignas(ET_CPU_POOL_LINE)
#define ET_CPU_POOL_ATOMIC(atomic, plain) atomic
#endif

struct et_cpu_pool;

/* The chunks that a thread begins with: neighbours, and of like works the same
 * ones, whose data its caches have. */
typedef struct et_cpu_pool_share {
  ET_CPU_POOL_ALIGNED ET_CPU_POOL_ATOMIC(
      atomic_size_t, size_t) unclaimed; /* the last so many */
  size_t end;
  struct et_cpu_pool *pool;
} et_cpu_pool_share;

/* Lies in memory of the caller, where it stays from create to destroy. All but
 * `parallel` is the pool's own. */
typedef struct et_cpu_pool {
  et_parallel parallel; /* to lend: et_method_options.parallel */
  void (*function)(void *data, size_t index);
  void *data;
  pthread_t threads[ET_CPU_POOL_MAX_THREADS];
  pthread_mutex_t mutex;
  pthread_cond_t work; /* there is some, or the pool ends */
  pthread_cond_t idle; /* all of it is done */
  ET_CPU_POOL_ATOMIC(atomic_flag, bool) is_busy;
  ET_CPU_POOL_ATOMIC(atomic_bool, bool) is_ending;
  et_cpu_pool_share shares[ET_CPU_POOL_MAX_THREADS]; /* the caller's first */
  ET_CPU_POOL_ALIGNED ET_CPU_POOL_ATOMIC(atomic_size_t,
                                         size_t) works; /* that were begun */
  ET_CPU_POOL_ALIGNED ET_CPU_POOL_ATOMIC(atomic_size_t, size_t) unfinished;
  ET_CPU_POOL_ALIGNED ET_CPU_POOL_ATOMIC(
      atomic_size_t, size_t) sleepers; /* threads that wait */
} et_cpu_pool;

/* Clears the error, and starts thread_count - 1 threads: the one that runs a method is the last. They take
 * no signals. INVALID_ARGUMENT unless 1 <= thread_count <= ET_CPU_POOL_MAX_THREADS;
 * OUT_OF_RESOURCES, and nothing to destroy, when the system has none left. */
et_status et_cpu_pool_create(et_cpu_pool *pool, size_t thread_count,
                             et_error *error);

/* Ends the threads. No method that was loaded with the pool runs. */
void et_cpu_pool_destroy(et_cpu_pool *pool);

#ifdef __cplusplus
}
#endif

#endif /* BACKENDS_CPU_THREADS_POOL_H_ */
