/* Transforms of Winograd tiles, for a vector of channels or columns (Lavin & Gray, "Fast Algorithms
 * for Convolutional Neural Networks", 2016). The points are 0, 1, -1 and infinity; F(4 x 4, 3 x 3)
 * also has 2 and -2. */
#ifndef BACKENDS_CPU_MICROKERNELS_WINOGRAD_TILE_H_
#define BACKENDS_CPU_MICROKERNELS_WINOGRAD_TILE_H_

#include "backends/cpu/microkernels/simd.h"

/* Maximum number of outputs, and of positions, along an axis. */
#define ET_WINOGRAD_OUT 4
#define ET_WINOGRAD_IN 6

/* One row or column of B^T d: four positions from four pixels. */
ET_INLINE void et_winograd_in_2(const et_f32 *d, size_t step, et_f32 *out) {
  out[0] = d[0] - d[2 * step];
  out[1] = d[step] + d[2 * step];
  out[2] = d[2 * step] - d[step];
  out[3] = d[step] - d[3 * step];
}

/* One row or column of B^T d: six positions from six pixels. */
ET_INLINE void et_winograd_in_4(const et_f32 *d, size_t step, et_f32 *out) {
  const et_f32 four = et_f32_all(4.0f);
  const et_f32 two = et_f32_all(2.0f);
  const et_f32 minus_five = et_f32_all(-5.0f);
  const et_f32 a = d[0], b = d[step], c = d[2 * step];
  const et_f32 e = d[3 * step], f = d[4 * step], g = d[5 * step];
  const et_f32 p = et_f32_fma(-four, c, f);
  const et_f32 q = et_f32_fma(-four, b, e);
  const et_f32 r = f - c;
  const et_f32 s = e - b;
  out[0] = et_f32_fma(four, a, et_f32_fma(minus_five, c, f));
  out[1] = p + q;
  out[2] = p - q;
  out[3] = et_f32_fma(two, s, r);
  out[4] = et_f32_fma(-two, s, r);
  out[5] = et_f32_fma(four, b, et_f32_fma(minus_five, e, g));
}

ET_INLINE void et_winograd_in(int side, const et_f32 *d, size_t step,
                              et_f32 *out) {
  if (side == 2) {
    et_winograd_in_2(d, step, out);
  } else {
    et_winograd_in_4(d, step, out);
  }
}

/* One row or column of A^T m: two outputs from four positions. */
ET_INLINE void et_winograd_out_2(const et_f32 *m, size_t step, et_f32 *out) {
  out[0] = m[0] + m[step] + m[2 * step];
  out[1] = m[step] - m[2 * step] - m[3 * step];
}

/* One row or column of A^T m: four outputs from six positions. */
ET_INLINE void et_winograd_out_4(const et_f32 *m, size_t step, et_f32 *out) {
  const et_f32 p = m[step] + m[2 * step];
  const et_f32 q = m[step] - m[2 * step];
  const et_f32 r = m[3 * step] + m[4 * step];
  const et_f32 s = m[3 * step] - m[4 * step];
  out[0] = m[0] + p + r;
  out[1] = et_f32_fma(et_f32_all(2.0f), s, q);
  out[2] = et_f32_fma(et_f32_all(4.0f), r, p);
  out[3] = et_f32_fma(et_f32_all(8.0f), s, q) + m[5 * step];
}

ET_INLINE void et_winograd_out(int side, const et_f32 *m, size_t step,
                               et_f32 *out) {
  if (side == 2) {
    et_winograd_out_2(m, step, out);
  } else {
    et_winograd_out_4(m, step, out);
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_WINOGRAD_TILE_H_ */
