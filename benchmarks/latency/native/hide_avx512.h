/* Makes the libraries of this process believe that the processor has no AVX-512. */
#ifndef BENCHMARKS_LATENCY_NATIVE_HIDE_AVX512_H_
#define BENCHMARKS_LATENCY_NATIVE_HIDE_AVX512_H_

/* Of this thread and the ones that it starts, from now on: `cpuid` says that there
 * is nothing beyond AVX2, FMA and their like, nor AVX-VNNI where `and_vnni`. To be called before the libraries are
 * loaded; what has asked already keeps its answer, as the C library has. Returns 0,
 * or -1 where the processor or the kernel cannot make `cpuid` fault. */
int bench_hide_avx512(int and_vnni);

#endif /* BENCHMARKS_LATENCY_NATIVE_HIDE_AVX512_H_ */
