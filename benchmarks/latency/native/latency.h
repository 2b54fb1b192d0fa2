/* The library of the latency benchmark for Python. */
#ifndef ET_BENCHMARKS_LATENCY_NATIVE_LATENCY_H_
#define ET_BENCHMARKS_LATENCY_NATIVE_LATENCY_H_

#include <stddef.h>
#include <stdint.h>

/* ---- Cost of work in the calling thread ---- */

typedef struct bench_reading {
  uint64_t cycles; /* cycles of this thread in user mode; 0 without a counter */
  uint64_t thread_ns;
  uint64_t process_ns; /* CPU time of all threads */
  uint64_t wall_ns;
} bench_reading;

/* Opens a counter of this thread's cycles, for the functions below. Returns -1 if
 * the system or the machine has none. */
int bench_counter_open(void);

void bench_counter_read(int counter, bench_reading *out_reading);

/* An et_clock whose context is the counter. Returns cycles, or nanoseconds of
 * wall-clock time without a counter. */
uint64_t bench_counter_now(void *counter);

/* ---- Use of AVX-512 by this process ---- */

/* The widest instruction set that `cpuid` reports to this library: 0 for AVX2,
 * which is required, 1 for AVX-VNNI, 2 for AVX-512. */
int bench_shown_isa(void);

/* Resets the AVX-512 registers of the calling thread to their initial, unused state: mask registers, the upper 256 bits
 * of vector registers 0 to 15, and vector registers 16 to 31. */
void bench_forget_avx512(void);

/* Returns 1 if the calling thread uses those registers, else 0 (XGETBV,
 * XINUSE), or -1 if the processor cannot report it. AVX512VL instructions on
 * registers 0 to 15 without masks are not detected. */
int bench_used_avx512(void);

/* ---- Lower bounds of a model's time: arithmetic, and reading weights ---- */

/* Executes at least `operations` floating-point operations as fused multiply-adds in
 * registers. The result depends on all of them. */
float bench_fma_avx2(uint64_t operations);
float bench_fma_avxvnni(uint64_t operations);
float bench_fma_avx512(uint64_t operations);

/* Reads `size` bytes, a multiple of 512, in order. The result depends on all of
 * them. */
uint64_t bench_read_avx2(const void *data, size_t size);
uint64_t bench_read_avxvnni(const void *data, size_t size);
uint64_t bench_read_avx512(const void *data, size_t size);

#endif /* ET_BENCHMARKS_LATENCY_NATIVE_LATENCY_H_ */
