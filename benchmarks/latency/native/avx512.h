/* What code of this process knows of AVX-512, and whether it uses it. */
#ifndef BENCHMARKS_LATENCY_NATIVE_AVX512_H_
#define BENCHMARKS_LATENCY_NATIVE_AVX512_H_

/* The widest of what `cpuid` shows to this library, by the places of "avx2", "avxvnni", "avx512": 0 to 2. AVX2 is
 * taken for granted. */
int bench_shown_isa(void);

/* Puts the calling thread's registers that AVX-512 alone has (mask registers, the upper halves of vector registers 0 to
 * 15, and vector registers 16 to 31) into their first state, unused. */
void bench_forget_avx512(void);

/* Whether those registers are in use in the calling thread, by XGETBV of XINUSE; -1 where the processor cannot tell. Code
 * that leaves nothing there, such as instructions of AVX512VL on registers 0 to 15 without masks, is not seen. */
int bench_used_avx512(void);

#endif /* BENCHMARKS_LATENCY_NATIVE_AVX512_H_ */
