/* Floats of numbers of two bytes, and back. */
#ifndef BACKENDS_CPU_MICROKERNELS_CAST_H_
#define BACKENDS_CPU_MICROKERNELS_CAST_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"

/* Of float16, or of bfloat16. */
typedef void et_cpu_widen_function(const uint16_t *x, float *y, size_t count,
                                   bool is_bfloat);
typedef void et_cpu_narrow_function(const float *x, uint16_t *y, size_t count,
                                    bool is_bfloat);

ET_CPU_DECLARE(et_cpu_widen_function, et_cpu_widen);
ET_CPU_DECLARE(et_cpu_narrow_function, et_cpu_narrow);

#endif /* BACKENDS_CPU_MICROKERNELS_CAST_H_ */
