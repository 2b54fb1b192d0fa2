/* Table lookup on dense rows of 8-bit values: y = table[x].
 *
 * The table has 256 entries, indexed by the bits of x. AVX-512 looks up 64 elements at once in four
 * registers with vpermt2w. AVX2 looks up 32 elements at once with pshufb, in 16 entries at a time.
 * Other instruction sets load entries one by one. Each thread loads the table once per chunk. */
#ifndef BACKENDS_CPU_MICROKERNELS_LUT_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_LUT_QS8_H_

#include "backends/cpu/microkernels/variants.h"

#include <stddef.h>
#include <stdint.h>

#define ET_CPU_LUT_ENTRIES 256

/* y[i] = table[x[i]] for i < count. y may be x. */
typedef void et_cpu_lut_qs8_function(const uint8_t *table, const uint8_t *x,
                                     uint8_t *y, size_t count);

ET_CPU_DECLARE(et_cpu_lut_qs8_function, et_cpu_lut_qs8);

#endif /* BACKENDS_CPU_MICROKERNELS_LUT_QS8_H_ */
