/* Cost of work in the calling thread. */
#ifndef BENCHMARKS_LATENCY_NATIVE_COUNTER_H_
#define BENCHMARKS_LATENCY_NATIVE_COUNTER_H_

#include <stdint.h>

typedef struct bench_reading {
  uint64_t cycles; /* of this thread in user mode; 0 without a counter */
  uint64_t thread_ns;
  uint64_t process_ns; /* of all threads */
  uint64_t wall_ns;
} bench_reading;

/* Opens a counter of this thread's cycles, for the functions below. Returns -1 if
 * the system or the machine has none. */
int bench_counter_open(void);

void bench_counter_read(int counter, bench_reading *out_reading);

/* An et_clock whose context is the counter: cycles if there is one, else
 * nanoseconds of wall-clock time. */
uint64_t bench_counter_now(void *counter);

#endif /* BENCHMARKS_LATENCY_NATIVE_COUNTER_H_ */
