/* Lower bounds of a model's time: its arithmetic alone, and reading its weights once. */
#ifndef BENCHMARKS_LATENCY_NATIVE_LIMIT_H_
#define BENCHMARKS_LATENCY_NATIVE_LIMIT_H_

#include <stddef.h>
#include <stdint.h>

/* Executes at least `operations` floating-point operations as fused multiply-adds in
 * registers. The result depends on all of them. */
float bench_fma_avx2(uint64_t operations);
float bench_fma_avxvnni(uint64_t operations);
float bench_fma_avx512(uint64_t operations);

/* Reads `size` bytes, a multiple of 512, in order. The result depends on all. */
uint64_t bench_read_avx2(const void *data, size_t size);
uint64_t bench_read_avxvnni(const void *data, size_t size);
uint64_t bench_read_avx512(const void *data, size_t size);

#endif /* BENCHMARKS_LATENCY_NATIVE_LIMIT_H_ */
