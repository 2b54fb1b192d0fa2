/* Bytes that are looked up. */
#ifndef BACKENDS_CPU_MICROKERNELS_LUT_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_LUT_QS8_H_

#include "backends/cpu/microkernels/variants.h"

#include <stddef.h>
#include <stdint.h>

#define ET_CPU_LUT_ENTRIES 256

/* y[i] = table[x[i]], of a table of 256 bytes; y may be x. */
typedef void et_cpu_lut_qs8_function(const uint8_t *table, const uint8_t *x,
                                     uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_lut_qs8_function, et_cpu_lut_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_LUT_QS8_H_ */
