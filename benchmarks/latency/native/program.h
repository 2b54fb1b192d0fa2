/* A compiled program on this project's runtime, for Python to load, feed and run. */
#ifndef BENCHMARKS_LATENCY_NATIVE_PROGRAM_H_
#define BENCHMARKS_LATENCY_NATIVE_PROGRAM_H_

#include <stddef.h>
#include <stdint.h>

#include "benchmarks/latency/native/steps.h"

typedef struct bench_program bench_program;

/* Loads method "forward" of the file. `isa` is the instruction set that the CPU
 * backend is held to, "" for its own choice; `threads` are lent to it. With a
 * `counter`, bench_counter_open's, what bench_program_steps gives is collected, which
 * costs time. NULL on an error, with its message in `error`, of
 * ET_ERROR_MESSAGE_BYTES. */
bench_program *bench_program_open(const char *path, const char *isa,
                                  size_t threads, const int *counter,
                                  char *error);
void bench_program_close(bench_program *program);

/* What the method takes of memory besides its file. */
size_t bench_program_planned_bytes(const bench_program *program);
size_t bench_program_scratch_bytes(const bench_program *program);
size_t bench_program_method_bytes(const bench_program *program);

/* 0, or an et_status and its message in `error`. Tensors are dense; `dtype` is an
 * et_scalar_type. `data` must live until the run. */
int32_t bench_program_set_input(bench_program *program, size_t index,
                                int32_t dtype, const int32_t *sizes,
                                size_t rank, const void *data, size_t size,
                                char *error);
int32_t bench_program_run(bench_program *program, char *error);

/* The bytes of tensor output `index`, valid until the next run; NULL for another
 * kind of value. */
const void *bench_program_output(const bench_program *program, size_t index,
                                 size_t *out_size);

/* NULL for a program that is not watched. */
const bench_steps *bench_program_steps(const bench_program *program);

#endif /* BENCHMARKS_LATENCY_NATIVE_PROGRAM_H_ */
