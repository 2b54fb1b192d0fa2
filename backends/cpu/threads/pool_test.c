/* Tests that the pool runs every chunk exactly once. */
/* nanosleep */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "backends/cpu/threads/pool.h"

#define MAX_CHUNKS 1000

typedef struct tally {
  atomic_int runs[MAX_CHUNKS];
  size_t plain[MAX_CHUNKS]; /* not atomic: the pool must order the accesses */
} tally;

static et_cpu_pool pool;
static tally tallied;

static void count_chunk(void *data, size_t index) {
  tally *t = data;
  atomic_fetch_add(&t->runs[index], 1);
  t->plain[index] = index + 1;
}

static void start(size_t threads) {
  et_error error;
  et_error_clear(&error);
  if (et_cpu_pool_create(&pool, threads, &error) != ET_STATUS_OK) {
    fail_msg("%s", error.message);
  }
}

static void run(size_t count, void (*function)(void *data, size_t index),
                void *data) {
  pool.parallel.run(pool.parallel.context, count, function, data);
}

static void sleep_microseconds(long microseconds) {
  const struct timespec time = {0, microseconds * 1000};
  nanosleep(&time, NULL);
}

/* Waits until *number is at least `value`, for up to about ten seconds. */
static void wait_for(atomic_int *number, int value) {
  for (size_t i = 0; i < 10000 && atomic_load(number) < value; i++) {
    sleep_microseconds(1000);
  }
}

static void expect_each_once(size_t count) {
  memset(&tallied, 0, sizeof tallied);
  run(count, count_chunk, &tallied);
  for (size_t i = 0; i < MAX_CHUNKS; i++) {
    assert_int_equal(tallied.runs[i], i < count ? 1 : 0);
    assert_int_equal(tallied.plain[i], i < count ? i + 1 : 0);
  }
}

static void test_every_chunk_runs_once(void **state) {
  (void)state;
  const size_t threads[] = {1, 2, 3, 8};
  const size_t counts[] = {0, 1, 2, 3, 7, 64, MAX_CHUNKS};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
    start(threads[i]);
    assert_int_equal(pool.parallel.thread_count, threads[i]);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
      expect_each_once(counts[k]);
    }
    et_cpu_pool_destroy(&pool);
  }
}

/* Runs follow each other like the ops of a method. Some start after a sleep. */
static void test_consecutive_runs(void **state) {
  (void)state;
  start(4);
  for (size_t i = 0; i < 3000; i++) {
    memset(&tallied, 0, sizeof tallied);
    run(5, count_chunk, &tallied);
    for (size_t k = 0; k < 5; k++) {
      assert_int_equal(tallied.plain[k], k + 1);
    }
    if (i % 100 == 0) {
      sleep_microseconds(500); /* lets the threads fall asleep */
    }
  }
  et_cpu_pool_destroy(&pool);
}

typedef struct meeting {
  atomic_int inside;
  atomic_int max;
} meeting;

/* Stays in the chunk until another thread runs one. */
static void meet(void *data, size_t index) {
  meeting *m = data;
  const int inside = atomic_fetch_add(&m->inside, 1) + 1;
  int max = atomic_load(&m->max);
  (void)index;
  while (inside > max && !atomic_compare_exchange_weak(&m->max, &max, inside)) {
  }
  wait_for(&m->max, 2);
  atomic_fetch_sub(&m->inside, 1);
}

static void test_pool_threads_run_chunks(void **state) {
  (void)state;
  meeting m = {0, 0};
  start(3);
  run(9, meet, &m);
  et_cpu_pool_destroy(&pool);
  assert_true(m.max >= 2);
  assert_true(m.max <= 3);
}

static pthread_t caller;

/* First chunk of each of two threads, stored as 1 + its index. Each thread stays in its first chunk
 * until the other thread has started one. */
static atomic_int first_of_caller;
static atomic_int first_of_helper;

static void note_first(void *data, size_t index) {
  const bool is_caller = pthread_equal(pthread_self(), caller) != 0;
  atomic_int *own = is_caller ? &first_of_caller : &first_of_helper;
  int none = 0;
  (void)data;
  if (atomic_compare_exchange_strong(own, &none, (int)index + 1)) {
    wait_for(is_caller ? &first_of_helper : &first_of_caller, 1);
  }
}

static void test_each_thread_starts_with_its_own_share(void **state) {
  (void)state;
  caller = pthread_self();
  start(2);
  for (size_t i = 0; i < 20; i++) {
    atomic_store(&first_of_caller, 0);
    atomic_store(&first_of_helper, 0);
    run(9, note_first, NULL);
    assert_int_equal(first_of_caller, 1);
    assert_int_equal(first_of_helper, 1 + 5);
  }
  et_cpu_pool_destroy(&pool);
}

static atomic_int by_caller;
static atomic_int by_others;

/* Keeps the other threads in their first chunk until the caller has run all other chunks. */
static void block_helpers(void *data, size_t index) {
  (void)data;
  (void)index;
  if (pthread_equal(pthread_self(), caller)) {
    atomic_fetch_add(&by_caller, 1);
    return;
  }
  atomic_fetch_add(&by_others, 1);
  wait_for(&by_caller, 198);
}

static void test_caller_runs_all_unclaimed_chunks(void **state) {
  (void)state;
  caller = pthread_self();
  start(3);
  run(200, block_helpers, NULL);
  et_cpu_pool_destroy(&pool);
  assert_int_equal(by_caller + by_others, 200);
  assert_true(by_caller >= 198);
}

static void *run_tally(void *argument) {
  run(MAX_CHUNKS, count_chunk, argument);
  return NULL;
}

static void test_concurrent_callers_both_finish(void **state) {
  (void)state;
  static tally tallies[2];
  start(3);
  for (size_t round = 0; round < 100; round++) {
    pthread_t other;
    memset(tallies, 0, sizeof tallies);
    assert_int_equal(pthread_create(&other, NULL, run_tally, &tallies[0]), 0);
    run_tally(&tallies[1]);
    pthread_join(other, NULL);
    for (size_t i = 0; i < MAX_CHUNKS; i++) {
      assert_int_equal(tallies[0].plain[i], i + 1);
      assert_int_equal(tallies[1].plain[i], i + 1);
    }
  }
  et_cpu_pool_destroy(&pool);
}

#if !defined(_WIN32)
static atomic_int signals_blocked;

static void look_at_mask(void *data, size_t index) {
  sigset_t mask;
  (void)index;
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  if (!pthread_equal(pthread_self(), *(pthread_t *)data)) {
    atomic_fetch_add(&signals_blocked, sigismember(&mask, SIGTERM) ? 1 : -1000);
  }
  wait_for(&signals_blocked, 1);
}

static void test_pool_threads_block_signals(void **state) {
  (void)state;
  pthread_t self = pthread_self();
  sigset_t mask;
  start(3);
  run(8, look_at_mask, &self);
  et_cpu_pool_destroy(&pool);
  assert_true(signals_blocked > 0);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  assert_false(sigismember(&mask, SIGTERM));
}
#endif

static void test_rejects_invalid_thread_counts(void **state) {
  (void)state;
  et_error error;
  et_error_clear(&error);
  assert_int_equal(et_cpu_pool_create(&pool, 0, &error),
                   ET_STATUS_INVALID_ARGUMENT);
  assert_string_equal(error.message, "a pool must have 1 to 64 threads, not 0");
  assert_int_equal(et_cpu_pool_create(&pool, ET_CPU_POOL_MAX_THREADS + 1, NULL),
                   ET_STATUS_INVALID_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_chunk_runs_once),
      cmocka_unit_test(test_consecutive_runs),
      cmocka_unit_test(test_pool_threads_run_chunks),
      cmocka_unit_test(test_each_thread_starts_with_its_own_share),
      cmocka_unit_test(test_caller_runs_all_unclaimed_chunks),
      cmocka_unit_test(test_concurrent_callers_both_finish),
#if !defined(_WIN32) /* Windows has no signal masks. */
      cmocka_unit_test(test_pool_threads_block_signals),
#endif
      cmocka_unit_test(test_rejects_invalid_thread_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
