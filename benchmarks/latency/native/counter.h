/* What a piece of work cost the calling thread. */
#ifndef BENCHMARKS_LATENCY_NATIVE_COUNTER_H_
#define BENCHMARKS_LATENCY_NATIVE_COUNTER_H_

#include <stdint.h>

typedef struct bench_reading {
  uint64_t cycles; /* of this thread in user mode; 0 without a counter */
  uint64_t thread_ns;
  uint64_t process_ns; /* of all threads */
  uint64_t wall_ns;
} bench_reading;

/* A counter of this thread's cycles, to be given to the functions below; -1 where
 * the system or the machine has none. */
int bench_counter_open(void);

void bench_counter_read(int counter, bench_reading *out_reading);

/* Cycles where there is a counter, else nanoseconds by the clock: an et_clock whose
 * context is the counter's number. */
uint64_t bench_counter_now(void *counter);

#endif /* BENCHMARKS_LATENCY_NATIVE_COUNTER_H_ */
