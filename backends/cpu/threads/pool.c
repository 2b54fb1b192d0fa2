/* A pool of threads that claim chunks one by one. A thread starts with its own share, whose data is
 * in its caches from the previous op, and then takes chunks of other shares. A thread that is not
 * scheduled therefore does not delay the others. Idle threads spin before they sleep, because the
 * ops of a method follow each other closely. */
#define _POSIX_C_SOURCE 200809L

#include "backends/cpu/threads/pool.h"

#include <stdint.h>
#include <time.h>

/* Windows and WASI have no signal masks. */
#if !defined(_WIN32) && !defined(__wasi__)
#include <signal.h>
#define HAS_SIGNAL_MASKS
#endif

/* C++ uses plain types in place of these (pool.h), so sizes and alignments must match. */
_Static_assert(sizeof(atomic_size_t) == sizeof(size_t) &&
                   _Alignof(atomic_size_t) == _Alignof(size_t) &&
                   sizeof(atomic_flag) == sizeof(bool) &&
                   sizeof(atomic_bool) == sizeof(bool),
               "et_cpu_pool has a different size or alignment in C++");

/* Time in nanoseconds that an idle thread spins before it sleeps. Waking a thread takes 15 us,
 * about as long as many ops, and a method may run several sequential ops between parallel ones. */
#define MAX_WAIT_NS 200000

/* Number of polls between two reads of the clock. The duration of a pause instruction varies by a
 * factor of four between processors, so the number of polls alone does not measure time. */
#define POLLS_PER_READ 64

/* Hints to the processor that this is a spin loop. */
static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
#endif
}

static int64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A condition that a thread polls. */
typedef bool condition(et_cpu_pool *pool, size_t seen);

/* Polls the condition for up to MAX_WAIT_NS. Returns true if it became true. */
static bool poll(condition *is_true, et_cpu_pool *pool, size_t seen) {
  const int64_t begin = now_ns();
  do {
    for (size_t i = 0; i < POLLS_PER_READ; i++) {
      if (is_true(pool, seen)) {
        return true;
      }
      pause_briefly();
    }
  } while (now_ns() - begin < MAX_WAIT_NS);
  return false;
}

/* Claims chunk *index of a share. Returns false if none is left. A claimed chunk belongs to the
 * current work, which the pool keeps until the chunk has finished. */
static bool claim(et_cpu_pool_share *share, size_t *index) {
  size_t left = atomic_load_explicit(&share->unclaimed, memory_order_relaxed);
  while (left > 0) {
    if (atomic_compare_exchange_weak_explicit(&share->unclaimed, &left,
                                              left - 1, memory_order_acquire,
                                              memory_order_relaxed)) {
      *index = share->end - left;
      return true;
    }
  }
  return false;
}

/* Counts finished chunks. The thread that finishes the last one wakes the caller. */
static void finish(et_cpu_pool *pool, size_t chunks) {
  if (chunks > 0 && atomic_fetch_sub_explicit(&pool->unfinished, chunks,
                                              memory_order_acq_rel) == chunks) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_signal(&pool->idle);
    pthread_mutex_unlock(&pool->mutex);
  }
}

/* Runs the unclaimed chunks of a share. Returns the number of chunks it ran. */
static size_t run_share(et_cpu_pool *pool, et_cpu_pool_share *share) {
  size_t index = 0;
  size_t chunks = 0;
  while (claim(share, &index)) {
    pool->function(pool->data, index);
    chunks++;
  }
  return chunks;
}

/* Runs unclaimed chunks, first of share `first`, then of the other shares. */
static void help(et_cpu_pool *pool, size_t first) {
  const size_t count = pool->parallel.thread_count;
  size_t chunks = 0;
  for (size_t i = first; i < count; i++) {
    chunks += run_share(pool, &pool->shares[i]);
  }
  for (size_t i = 0; i < first; i++) {
    chunks += run_share(pool, &pool->shares[i]);
  }
  finish(pool, chunks);
}

static bool has_work(et_cpu_pool *pool, size_t seen) {
  return atomic_load(&pool->works) != seen;
}

static bool is_ending(et_cpu_pool *pool) {
  return atomic_load(&pool->is_ending);
}

static bool is_needed(et_cpu_pool *pool, size_t seen) {
  return has_work(pool, seen) || is_ending(pool);
}

/* Increments `sleepers` before the last check for work. A caller that publishes work later sees
 * the sleeper and wakes it. */
static void sleep_until_work(et_cpu_pool *pool, size_t seen) {
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  while (!is_needed(pool, seen)) {
    pthread_cond_wait(&pool->work, &pool->mutex);
  }
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
}

/* Waits until work newer than number `seen` is published, or until the pool ends. */
static void await_work(et_cpu_pool *pool, size_t seen) {
  if (!poll(is_needed, pool, seen)) {
    sleep_until_work(pool, seen);
  }
}

static void *work(void *argument) {
  et_cpu_pool_share *share = argument;
  et_cpu_pool *pool = share->pool;
  size_t seen = 0;
  while (!is_ending(pool)) {
    await_work(pool, seen);
    seen = atomic_load(&pool->works);
    help(pool, (size_t)(share - pool->shares));
  }
  return NULL;
}

static void wake_all(et_cpu_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->mutex);
}

static bool is_finished(et_cpu_pool *pool, size_t seen) {
  (void)seen;
  return atomic_load_explicit(&pool->unfinished, memory_order_acquire) == 0;
}

/* Waits until all chunks have finished, including chunks that other threads have claimed. */
static void await_finish(et_cpu_pool *pool) {
  if (poll(is_finished, pool, 0)) {
    return;
  }
  pthread_mutex_lock(&pool->mutex);
  while (!is_finished(pool, 0)) {
    pthread_cond_wait(&pool->idle, &pool->mutex);
  }
  pthread_mutex_unlock(&pool->mutex);
}

static void run_alone(size_t count, void (*function)(void *data, size_t index),
                      void *data) {
  for (size_t i = 0; i < count; i++) {
    function(data, i);
  }
}

/* Divides the chunks into shares of nearly equal size. The release store publishes `end`,
 * `function` and `data` to the threads that claim chunks. */
static void divide_chunks(et_cpu_pool *pool, size_t count) {
  const size_t threads = pool->parallel.thread_count;
  size_t begin = 0;
  for (size_t i = 0; i < threads; i++) {
    et_cpu_pool_share *share = &pool->shares[i];
    const size_t size = count / threads + (i < count % threads ? 1 : 0);
    share->end = begin + size;
    atomic_store_explicit(&share->unclaimed, size, memory_order_release);
    begin = share->end;
  }
}

/* Runs `count` chunks. If another caller uses the pool, the calling thread runs all of them. */
static void run(void *context, size_t count,
                void (*function)(void *data, size_t index), void *data) {
  et_cpu_pool *pool = context;
  if (count < 2 || pool->parallel.thread_count < 2 ||
      atomic_flag_test_and_set_explicit(&pool->is_busy, memory_order_acquire)) {
    run_alone(count, function, data);
    return;
  }
  pool->function = function;
  pool->data = data;
  atomic_store_explicit(&pool->unfinished, count, memory_order_relaxed);
  divide_chunks(pool, count);
  atomic_fetch_add(&pool->works, 1);
  if (atomic_load(&pool->sleepers) > 0) {
    wake_all(pool);
  }
  help(pool, 0);
  await_finish(pool);
  atomic_flag_clear_explicit(&pool->is_busy, memory_order_release);
}

static void end_threads(et_cpu_pool *pool, size_t count) {
  atomic_store(&pool->is_ending, true);
  wake_all(pool);
  for (size_t i = 0; i < count; i++) {
    pthread_join(pool->threads[i], NULL);
  }
  pthread_cond_destroy(&pool->idle);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->mutex);
}

static void fill(et_cpu_pool *pool, size_t thread_count) {
  const et_parallel parallel = {pool, thread_count, run};
  pool->parallel = parallel;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->idle, NULL);
  atomic_flag_clear(&pool->is_busy);
  atomic_init(&pool->is_ending, false);
  atomic_init(&pool->works, 0);
  atomic_init(&pool->unfinished, 0);
  atomic_init(&pool->sleepers, 0);
  for (size_t i = 0; i < thread_count; i++) {
    atomic_init(&pool->shares[i].unclaimed, 0);
    pool->shares[i].pool = pool;
  }
}

static size_t start_threads(et_cpu_pool *pool, size_t count) {
  size_t started = 0;
  while (started < count && pthread_create(&pool->threads[started], NULL, work,
                                           &pool->shares[started + 1]) == 0) {
    started++;
  }
  return started;
}

/* Starts up to `count` threads, with all signals blocked. Returns the number of threads started. */
static size_t start_masked_threads(et_cpu_pool *pool, size_t count) {
#if defined(HAS_SIGNAL_MASKS)
  sigset_t all;
  sigset_t old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  const size_t started = start_threads(pool, count);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  return started;
#else
  return start_threads(pool, count);
#endif
}

et_status et_cpu_pool_create(et_cpu_pool *pool, size_t thread_count,
                             et_error *error) {
  et_error_clear(error);
  if (thread_count < 1 || thread_count > ET_CPU_POOL_MAX_THREADS) {
    return et_fail(error, ET_STATUS_INVALID_ARGUMENT,
                   "a pool must have 1 to %d threads, not %zu",
                   ET_CPU_POOL_MAX_THREADS, thread_count);
  }
  fill(pool, thread_count);
  const size_t started = start_masked_threads(pool, thread_count - 1);
  if (started < thread_count - 1) {
    end_threads(pool, started);
    return et_fail(error, ET_STATUS_OUT_OF_RESOURCES,
                   "pool: started only %zu of %zu threads", started,
                   thread_count - 1);
  }
  return ET_STATUS_OK;
}

void et_cpu_pool_destroy(et_cpu_pool *pool) {
  end_threads(pool, pool->parallel.thread_count - 1);
}
