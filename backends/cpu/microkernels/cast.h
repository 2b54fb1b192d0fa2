/* Conversion of dense rows between float32 and float16 or bfloat16.
 *
 * Widening is exact. Narrowing rounds to nearest, ties to even. NaN stays NaN, and values beyond
 * the largest finite value become infinite. A tile is one vector of float32; the last one may be
 * partial. float16 uses the conversion instructions of F16C or AVX-512 where available. bfloat16
 * needs only shifts, so it is bound by memory bandwidth. */
#ifndef BACKENDS_CPU_MICROKERNELS_CAST_H_
#define BACKENDS_CPU_MICROKERNELS_CAST_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"

/* is_bfloat: the 16-bit values are bfloat16 instead of float16. */
typedef void et_cpu_widen_function(const uint16_t *x, float *y, size_t count,
                                   bool is_bfloat);
typedef void et_cpu_narrow_function(const float *x, uint16_t *y, size_t count,
                                    bool is_bfloat);

ET_CPU_DECLARE(et_cpu_widen_function, et_cpu_widen);
ET_CPU_DECLARE(et_cpu_narrow_function, et_cpu_narrow);

#endif /* BACKENDS_CPU_MICROKERNELS_CAST_H_ */
