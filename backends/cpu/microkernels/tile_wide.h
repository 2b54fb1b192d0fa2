/* Register tile of a panel and a half (24 columns). Many networks have layers with 24 or 40
 * columns, which fill three or five half panels without unused lanes.
 * - AVX2: 4 rows by 3 vectors. Its prologue and epilogue are shorter than those of 6 rows by 2
 *   vectors, and it has fewer loads per multiply-add.
 * - AVX-512: 8 rows. Two rows share the vector of their half panels. With a vector per row, a tile
 *   would take a third longer. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_WIDE_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_WIDE_H_

#include "backends/cpu/microkernels/tile.h"

#define ET_WIDE_HALF (ET_CPU_PANEL / 2)
#define ET_WIDE_COLUMNS (ET_CPU_PANEL + ET_WIDE_HALF)
#if defined(ET_CPU_ISA_AVX512)
#define ET_WIDE_ROWS 8
#else
#define ET_WIDE_ROWS 4
#endif

#if defined(ET_CPU_ISA_AVX2) || defined(ET_CPU_ISA_AVX512)
#define ET_HAS_WIDE 1
#define ET_WIDE_VECTORS (ET_WIDE_COLUMNS / ET_WIDE_HALF)

/* Maximum K for which all columns use wide tiles, and whether `start` is required. With a larger
 * K, wide tiles compute only trailing columns that would waste lanes, because taller tiles read
 * the weights less often. AVX-512 uses wide tiles only for such columns, and only in the first K
 * block. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_MAX_WIDE_DEPTH 0
#define ET_WIDE_BEGINS 1
#else
#define ET_MAX_WIDE_DEPTH 128
#define ET_WIDE_BEGINS 0
#endif

/* Weights to prefetch next, a few lines per tile. */
typedef struct et_wide_next {
  const float *at;
  size_t lines;
} et_wide_next;

#if defined(ET_CPU_ISA_AVX512)
/* Two rows in three vectors: one for the panel of each row, and one for the half panels of both.
 * The multiplier of the shared vector is blended from the elements of both rows. */
typedef __m512 et_wide_sums[ET_WIDE_ROWS / 2][ET_WIDE_VECTORS];

#define ET_WIDE_SECOND 0xff00 /* lanes of the second row in the shared vector */

ET_INLINE __m512 et_wide_join(const float *first, const float *second) {
  const __m256d low = _mm256_castps_pd(_mm256_loadu_ps(first));
  const __m256d high = _mm256_castps_pd(_mm256_loadu_ps(second));
  return _mm512_castpd_ps(
      _mm512_insertf64x4(_mm512_castpd256_pd512(low), high, 1));
}

/* Loads vector `v` of two rows, `stride` floats apart. */
ET_INLINE __m512 et_wide_load(const float *from, size_t stride, int v) {
  return v < 2
             ? _mm512_loadu_ps(from + (size_t)v * stride)
             : et_wide_join(from + ET_CPU_PANEL, from + stride + ET_CPU_PANEL);
}

/* Broadcasts half a panel of a row to both halves of a vector. */
ET_INLINE __m512 et_wide_twice(const float *from) {
  return _mm512_castpd_ps(
      _mm512_broadcast_f64x4(_mm256_castps_pd(_mm256_loadu_ps(from))));
}

/* Loads `start`, which must not be NULL, into the accumulators of all rows. */
ET_INLINE void et_wide_begin(const et_tiles *t, const float *out,
                             et_wide_sums sums) {
  (void)out;
  ET_UNROLL for (int p = 0; p < ET_WIDE_ROWS / 2; p++) {
    ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) {
      sums[p][v] = v < 2 ? _mm512_loadu_ps(t->start)
                         : et_wide_twice(t->start + ET_CPU_PANEL);
    }
  }
}

/* Adds all of K. The first column is the first one of a panel, so `second` is not used. */
ET_INLINE void et_wide_add(const et_tiles *t, const float *x, size_t second,
                           et_wide_sums sums) {
  const float *panel = t->panels;
  const float *const end = panel + t->depth * ET_CPU_PANEL;
  (void)second;
  for (; panel < end; panel += ET_CPU_PANEL, x++) {
    __m512 whole = _mm512_loadu_ps(panel);
    __m512 half = et_wide_twice(panel + t->panel_stride);
    ET_PIN(whole);
    ET_PIN(half);
    ET_UNROLL for (int p = 0; p < ET_WIDE_ROWS / 2; p++) {
      const float *const row = x + (size_t)(2 * p) * t->x_stride;
      __m512 low = _mm512_set1_ps(row[0]);
      __m512 high = _mm512_set1_ps(row[t->x_stride]);
      ET_PIN(low); /* loads each element once */
      ET_PIN(high);
      sums[p][0] = _mm512_fmadd_ps(low, whole, sums[p][0]);
      sums[p][1] = _mm512_fmadd_ps(high, whole, sums[p][1]);
      sums[p][2] = _mm512_fmadd_ps(
          _mm512_mask_blend_ps(ET_WIDE_SECOND, low, high), half, sums[p][2]);
    }
  }
}

ET_INLINE void et_wide_add_residual(const et_tiles *t, const float *residual,
                                    et_wide_sums sums) {
  ET_UNROLL for (int p = 0; p < ET_WIDE_ROWS / 2;
                 p++, residual += 2 * t->residual_stride) {
    ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) {
      sums[p][v] += et_wide_load(residual, t->residual_stride, v);
    }
  }
}

ET_INLINE void et_wide_store(const et_tiles *t, float *out, et_f32 low,
                             et_f32 high, et_wide_sums sums) {
  const size_t stride = t->out_stride;
  ET_UNROLL for (int p = 0; p < ET_WIDE_ROWS / 2; p++, out += 2 * stride) {
    ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) {
      sums[p][v] = (__m512)et_f32_clamp((et_f32)sums[p][v], low, high);
    }
    const __m512d halves = _mm512_castps_pd(sums[p][2]);
    _mm512_storeu_ps(out, sums[p][0]);
    _mm512_storeu_ps(out + stride, sums[p][1]);
    _mm256_storeu_ps(out + ET_CPU_PANEL,
                     _mm256_castpd_ps(_mm512_castpd512_pd256(halves)));
    _mm256_storeu_ps(out + stride + ET_CPU_PANEL,
                     _mm256_castpd_ps(_mm512_extractf64x4_pd(halves, 1)));
  }
}
#else
typedef __m256 et_wide_sums[ET_WIDE_ROWS][ET_WIDE_VECTORS];

ET_INLINE void et_wide_begin(const et_tiles *t, const float *out,
                             et_wide_sums sums) {
  const float *from = t->start != NULL ? t->start : out;
  const size_t stride = t->start != NULL ? 0 : t->out_stride;
  ET_UNROLL for (int r = 0; r < ET_WIDE_ROWS; r++, from += stride) {
    ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) {
      sums[r][v] = _mm256_loadu_ps(from + v * ET_WIDE_HALF);
    }
  }
}

/* second: distance in floats between the first two vectors of a row of weights. */
ET_INLINE void et_wide_add(const et_tiles *t, const float *x, size_t second,
                           et_wide_sums sums) {
  const float *panel = t->panels;
  const float *const end = panel + t->depth * ET_CPU_PANEL;
  for (; panel < end; panel += ET_CPU_PANEL, x++) {
    __m256 w[ET_WIDE_VECTORS] = {_mm256_loadu_ps(panel),
                                 _mm256_loadu_ps(panel + second),
                                 _mm256_loadu_ps(panel + t->panel_stride)};
    ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) { ET_PIN(w[v]); }
    ET_UNROLL for (int r = 0; r < ET_WIDE_ROWS; r++) {
      const __m256 all = _mm256_set1_ps(x[(size_t)r * t->x_stride]);
      ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) {
        sums[r][v] = _mm256_fmadd_ps(all, w[v], sums[r][v]);
      }
    }
  }
}

ET_INLINE void et_wide_add_residual(const et_tiles *t, const float *residual,
                                    et_wide_sums sums) {
  ET_UNROLL for (int r = 0; r < ET_WIDE_ROWS;
                 r++, residual += t->residual_stride) {
    ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) {
      sums[r][v] += _mm256_loadu_ps(residual + v * ET_WIDE_HALF);
    }
  }
}

ET_INLINE void et_wide_store(const et_tiles *t, float *out, et_f32 low,
                             et_f32 high, et_wide_sums sums) {
  ET_UNROLL for (int r = 0; r < ET_WIDE_ROWS; r++, out += t->out_stride) {
    ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) {
      _mm256_storeu_ps(out + v * ET_WIDE_HALF,
                       (__m256)et_f32_clamp((et_f32)sums[r][v], low, high));
    }
  }
}
#endif

/* AVX-512 does not prefetch: layers of 24 columns have few weights, and the code would grow. */
ET_INLINE void et_wide_fetch(et_wide_next *next) {
  if (ET_MAX_WIDE_DEPTH > 0) {
    for (size_t i = 0; i < next->lines; i++, next->at += ET_CPU_PANEL) {
      et_prefetch_near(next->at);
    }
  }
}

/* Computes `count` vertically adjacent tiles. The clamp is applied in the last K block only. */
ET_NOINLINE void et_wide_tiles(const et_tiles *all, size_t second, size_t count,
                               et_wide_next *next) {
  const et_tiles t = *all; /* a local copy, which stores cannot alias */
  const et_f32 low =
      et_f32_all(t.last ? et_cpu_clamp_low(t.activation) : -INFINITY);
  const et_f32 high =
      et_f32_all(t.last ? et_cpu_clamp_high(t.activation) : INFINITY);
  const float *x = t.x;
  const float *residual = t.residual;
  float *out = t.out;
  for (; count > 0; count--) {
    et_wide_sums sums;
    et_wide_begin(&t, out, sums);
    et_wide_fetch(next);
    et_wide_add(&t, x, second, sums);
    if (t.last && residual != NULL) {
      et_wide_add_residual(&t, residual, sums);
      residual += ET_WIDE_ROWS * t.residual_stride;
    }
    et_wide_store(&t, out, low, high, sums);
    x += ET_WIDE_ROWS * t.x_stride;
    out += ET_WIDE_ROWS * t.out_stride;
  }
}
#endif

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_WIDE_H_ */
