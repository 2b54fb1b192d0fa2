/* What each instruction of a method, and each step of its delegates, costs. */
#ifndef BENCHMARKS_LATENCY_NATIVE_STEPS_H_
#define BENCHMARKS_LATENCY_NATIVE_STEPS_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/observer.h"

#define BENCH_MAX_STEPS 4096
#define BENCH_STEP_NAME_BYTES 64

typedef struct bench_step {
  uint32_t instruction; /* of the method */
  uint32_t step;        /* of its delegate; 0 for an instruction itself */
  et_event_kind kind;
  char name[BENCH_STEP_NAME_BYTES];
  uint64_t cost; /* of this run, summed where it runs several times */
  uint64_t best; /* of all runs */
} bench_step;

typedef struct bench_steps {
  int counter; /* bench_counter_open's */
  uint32_t instruction;
  uint64_t begun[2]; /* an instruction's beginning, and a step's within it */
  size_t count;
  bench_step items[BENCH_MAX_STEPS]; /* in the order of the first run; what does
                                      * not fit is not kept */
} bench_steps;

void bench_steps_init(bench_steps *steps, int counter);

/* An observer that fills `steps`. */
et_observer bench_steps_observer(bench_steps *steps);

/* To be called around each run of the method. */
void bench_steps_begin_run(bench_steps *steps);
void bench_steps_end_run(bench_steps *steps);

#endif /* BENCHMARKS_LATENCY_NATIVE_STEPS_H_ */
