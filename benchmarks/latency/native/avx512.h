/* Whether code of this process can see AVX-512, and whether it uses it. */
#ifndef BENCHMARKS_LATENCY_NATIVE_AVX512_H_
#define BENCHMARKS_LATENCY_NATIVE_AVX512_H_

/* The widest instruction set that `cpuid` shows to this library: 0 for AVX2, which is required, 1 for AVX-VNNI, 2 for
 * AVX-512. */
int bench_shown_isa(void);

/* Resets the AVX-512 registers of the calling thread to their initial, unused state: mask registers, the upper 256 bits
 * of vector registers 0 to 15, and vector registers 16 to 31. */
void bench_forget_avx512(void);

/* Returns whether the calling thread uses those registers (XGETBV, XINUSE), or -1 if the processor cannot report it.
 * AVX512VL instructions on registers 0 to 15 without masks are not detected. */
int bench_used_avx512(void);

#endif /* BENCHMARKS_LATENCY_NATIVE_AVX512_H_ */
