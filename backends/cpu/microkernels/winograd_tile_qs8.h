/* Transforms of the tiles of winograd_qs8.h, for a vector of channels or columns. */
#ifndef BACKENDS_CPU_MICROKERNELS_WINOGRAD_TILE_QS8_H_
#define BACKENDS_CPU_MICROKERNELS_WINOGRAD_TILE_QS8_H_

#include "backends/cpu/microkernels/simd_i8.h"
#include "backends/cpu/schema/kernel_sizes.h"

/* Number of positions along an axis. */
#define ET_WINOGRAD_IN_I8 (ET_CPU_WINOGRAD_QS8_SIDE + 2)

/* One row or column of B^T d: six positions from six pixels. Magnitudes grow by a factor of at most
 * 10. */
ET_INLINE void et_winograd_in_i8(const et_i16 *d, size_t step, et_i16 *out) {
  const et_i16 a = d[0], b = d[step], c = d[2 * step];
  const et_i16 e = d[3 * step], f = d[4 * step], g = d[5 * step];
  const et_i16 p = f - c * 4;
  const et_i16 q = e - b * 4;
  const et_i16 r = f - c;
  const et_i16 s = e - b;
  const et_i16 twice = s + s;
  out[0] = (a - c) * 4 + r;
  out[1] = p + q;
  out[2] = p - q;
  out[3] = r + twice;
  out[4] = r - twice;
  out[5] = g - e - (twice + twice);
}

/* One row or column of A^T m: four outputs from six positions, multiplied by 24, 12, 6 and 6,
 * modulo 2^32. */
ET_INLINE void et_winograd_out_i8(const et_u32 *m, size_t step, et_u32 *out) {
  const et_u32 p = m[step] + m[2 * step];
  const et_u32 q = m[step] - m[2 * step];
  const et_u32 r = m[3 * step] + m[4 * step];
  const et_u32 s = m[3 * step] - m[4 * step];
  out[0] = m[0] + r - p * 4;
  out[1] = s - (q + q);
  out[2] = r - p;
  out[3] = s + s - q + m[5 * step];
}

/* Returns the exponent of 2 in factor `result` of 24, 12, 6 and 6. */
ET_INLINE int et_winograd_twos_i8(int result) {
  return result == 0 ? 3 : result == 1 ? 2 : 1;
}

/* Returns the accumulator of output (i, j). */
ET_INLINE et_i32 et_winograd_sum_i8(et_u32 out, int i, int j) {
  const uint32_t ninth = 0x38e38e39; /* 9 * ninth = 1 modulo 2^32 */
  return (et_i32)(out * ninth) >>
         (et_winograd_twos_i8(i) + et_winograd_twos_i8(j));
}

#endif /* BACKENDS_CPU_MICROKERNELS_WINOGRAD_TILE_QS8_H_ */
