/* Selects the instruction set of a method, and runs ops on it. */
#ifndef BACKENDS_CPU_RUNTIME_ISA_H_
#define BACKENDS_CPU_RUNTIME_ISA_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/ops/op.h"
#include "executorch/backend.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns true if the instruction set's microkernels are linked, and the processor and operating
 * system support it. The instruction sets require:
 *
 * - wasm_simd128: WebAssembly with fixed-width SIMD
 * - wasm_relaxed_simd: also relaxed SIMD
 * - wasm_relaxed_dot: also an engine whose relaxed dot products of 8-bit operands are exact
 * - avx2: AVX2, FMA and F16C
 * - avxvnni: AVX2, FMA, F16C and AVX-VNNI
 * - avx512: AVX2, FMA and F16C, and AVX-512 F, BW, DQ, VL and VNNI
 * - neon: AArch64 with the dot product extension */
bool et_cpu_isa_available(et_cpu_isa isa);

/* Returns an option of "CpuBackend" that makes a method run on `isa`. Loading fails if `isa` is not
 * available. It is intended for tests and measurements. By default, a method uses the best
 * available instruction set. */
et_backend_option et_cpu_force_isa(et_cpu_isa isa);

/* Sets *out_isa to the instruction set of the context's options, or to the best available one. */
et_status et_cpu_isa_choose(const et_backend_context *context,
                            et_cpu_isa *out_isa);

/* Runs `count` ops whose tensors are bound, except those whose outputs are all empty. Stops at the
 * first failure. Reports each op to the context's observer by its index. */
et_status et_cpu_run_ops(const et_cpu_op *ops, uint32_t count, uint8_t isa,
                         const et_execute_context *context);

#ifdef __cplusplus
}
#endif

#endif /* BACKENDS_CPU_RUNTIME_ISA_H_ */
