#define _GNU_SOURCE
#include "benchmarks/latency/native/latency.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int bench_counter_open(void) {
  struct perf_event_attr event;
  memset(&event, 0, sizeof event);
  event.size = sizeof event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_CPU_CYCLES;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);
}

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t cycles(int counter) {
  uint64_t count = 0;
  if (counter < 0 ||
      read(counter, &count, sizeof count) != (ssize_t)sizeof count) {
    return 0;
  }
  return count;
}

void bench_counter_read(int counter, bench_reading *out_reading) {
  out_reading->wall_ns = nanoseconds(CLOCK_MONOTONIC);
  out_reading->process_ns = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  out_reading->thread_ns = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  out_reading->cycles = cycles(counter);
}

uint64_t bench_counter_now(void *counter) {
  const int number = (int)(intptr_t)counter;
  return number < 0 ? nanoseconds(CLOCK_MONOTONIC) : cycles(number);
}
