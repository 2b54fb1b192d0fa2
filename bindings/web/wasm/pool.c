/* Threads of a module with shared memory. JavaScript starts workers that
 * instantiate the module on the same memory and call et_web_work. A thread claims
 * chunks one by one: first those of its own share, whose data is in its caches from
 * the previous op, then those of the others. Idle threads spin before they sleep,
 * because the ops of a method follow each other closely. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/web/wasm/instance.h"
#include "executorch/parallel.h"

#define EXPORT(name) __attribute__((export_name(#name)))

/* MAX_THREADS is also in bindings/web/runtime/threads.mjs. POLLS take about 200 us;
 * the module has no clock. */
enum { MAX_THREADS = 32, LINE = 64, POLLS = 100000, FOREVER = -1 };

/* Chunks [end - unclaimed, end) of the current work. */
typedef struct share {
  _Alignas(LINE) atomic_uint unclaimed;
  unsigned end;
} share;

/* share[0] belongs to the thread that runs the method. */
static share shares[MAX_THREADS];
static et_parallel parallel;
static void (*chunk_function)(void *data, size_t index);
static void *chunk_data;
static bool can_sleep; /* whether the thread that runs methods can */
static atomic_bool is_ending;
static atomic_bool has_failed;
static atomic_bool is_caller_asleep;
/* Threads sleep on the next two words. */
static _Alignas(LINE) atomic_uint works;      /* number of the latest work */
static _Alignas(LINE) atomic_uint unfinished; /* chunks */
static _Alignas(LINE) atomic_uint sleepers;

/* Sleeps until another thread calls wake(), unless the word has another value. */
static void sleep_on(atomic_uint *word, unsigned value) {
  __builtin_wasm_memory_atomic_wait32((int *)word, (int)value, FOREVER);
}

static void wake(atomic_uint *word) {
  __builtin_wasm_memory_atomic_notify((int *)word, MAX_THREADS);
}

/* Claims chunk *index of a share. Returns false if none is left. A claimed chunk
 * belongs to the current work, which stays until the chunk has finished. */
static bool claim(share *from, size_t *index) {
  unsigned left = atomic_load(&from->unclaimed);
  while (left > 0) {
    if (atomic_compare_exchange_weak(&from->unclaimed, &left, left - 1)) {
      *index = from->end - left;
      return true;
    }
  }
  return false;
}

/* Runs unclaimed chunks, first those of share `first`. */
static void help(size_t first) {
  const size_t count = parallel.thread_count;
  unsigned chunks = 0;
  for (size_t i = 0; i < count; i++) {
    size_t index = 0;
    while (claim(&shares[(first + i) % count], &index)) {
      chunk_function(chunk_data, index);
      chunks++;
    }
  }
  if (chunks > 0 && atomic_fetch_sub(&unfinished, chunks) == chunks &&
      atomic_load(&is_caller_asleep)) {
    wake(&unfinished);
  }
}

/* Waits until all chunks have finished, including those that workers have claimed.
 * Traps if a worker has. */
static void await_finish(void) {
  unsigned polls = 0;
  unsigned left = 0;
  while ((left = atomic_load(&unfinished)) > 0 && !atomic_load(&has_failed)) {
    if (!can_sleep || polls++ < POLLS) {
      continue;
    }
    atomic_store(&is_caller_asleep, true);
    sleep_on(&unfinished, left);
    atomic_store(&is_caller_asleep, false);
  }
  if (atomic_load(&has_failed)) {
    __builtin_trap();
  }
}

static void divide_chunks(size_t count) {
  const size_t threads = parallel.thread_count;
  size_t begin = 0;
  for (size_t i = 0; i < threads; i++) {
    const size_t size = count / threads + (i < count % threads ? 1 : 0);
    shares[i].end = (unsigned)(begin + size);
    /* Publishes `end` and the function to the threads that claim chunks. */
    atomic_store(&shares[i].unclaimed, (unsigned)size);
    begin += size;
  }
}

/* Runs `count` chunks. Methods of an object never run at the same time. */
static void run(void *context, size_t count,
                void (*function)(void *data, size_t index), void *data) {
  (void)context;
  chunk_function = function;
  chunk_data = data;
  atomic_store(&unfinished, (unsigned)count);
  divide_chunks(count);
  atomic_fetch_add(&works, 1);
  if (atomic_load(&sleepers) > 0) {
    wake(&works);
  }
  help(0);
  await_finish();
}

/* Waits until work newer than number `seen` is published, or until the pool ends. */
static void await_work(unsigned seen) {
  for (unsigned i = 0; i < POLLS; i++) {
    if (atomic_load(&works) != seen) {
      return;
    }
  }
  atomic_fetch_add(&sleepers, 1);
  while (atomic_load(&works) == seen) {
    sleep_on(&works, seen);
  }
  atomic_fetch_sub(&sleepers, 1);
}

/* Divides ops among `count` threads. Called before models are loaded. `may_sleep` is
 * false on the main thread of a page, which always spins. */
EXPORT(set_threads) void et_web_set_threads(size_t count, bool may_sleep) {
  can_sleep = may_sleep;
  parallel.thread_count = count < MAX_THREADS ? count : MAX_THREADS;
  parallel.run = run;
  et_web_set_parallel(&parallel);
}

/* Runs chunks as thread `index` until the pool ends. */
EXPORT(work) void et_web_work(size_t index) {
  unsigned seen = 0;
  while (!atomic_load(&is_ending)) {
    await_work(seen);
    seen = atomic_load(&works);
    help(index);
  }
}

/* Ends the workers. */
EXPORT(end_threads) void et_web_end_threads(void) {
  atomic_store(&is_ending, true);
  atomic_fetch_add(&works, 1);
  wake(&works);
}

/* Called by a worker that trapped: the run traps as well. */
EXPORT(fail_run) void et_web_fail_run(void) {
  atomic_store(&has_failed, true);
  atomic_fetch_add(&unfinished, 1);
  wake(&unfinished);
}
