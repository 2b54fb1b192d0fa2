/* Which of the linked instruction sets a method runs on. */
#ifndef BACKENDS_CPU_RUNTIME_ISA_H_
#define BACKENDS_CPU_RUNTIME_ISA_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/variants.h"
#include "executorch/backend.h"
#include "executorch/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether its loops are linked, and this machine and its operating system run them:
 *   avx2    AVX2, FMA and F16C
 *   avxvnni those, and AVX-VNNI
 *   avx512  AVX2, FMA and F16C, and AVX-512 F, BW, DQ, VL and VNNI
 *   neon    AArch64 with the dot product */
bool et_cpu_isa_available(et_cpu_isa isa);

/* The option of "CpuBackend" that makes a method run on `isa`, or be refused. For
 * tests and measurements: without it a method runs on the widest there is. */
et_backend_option et_cpu_force_isa(et_cpu_isa isa);

/* What the context's options say, or the widest that is available. */
et_status et_cpu_isa_choose(const et_backend_context *context,
                            et_cpu_isa *out_isa);

#ifdef __cplusplus
}
#endif
#endif /* BACKENDS_CPU_RUNTIME_ISA_H_ */
