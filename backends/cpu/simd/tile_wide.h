/* Tiles of a panel and a half: networks have many layers of 24 or 40 columns. In vectors of
 * eight, three of which waste none; what AVX-512 works on by halves takes no longer so. With
 * AVX2 they begin and end sooner than those of six rows and two vectors, and read fewer
 * numbers beside their multiply-adds. */
#ifndef BACKENDS_CPU_SIMD_TILE_WIDE_H_
#define BACKENDS_CPU_SIMD_TILE_WIDE_H_

#include "backends/cpu/simd/tile.h"

#define ET_WIDE_HALF (ET_PANEL / 2)
#define ET_WIDE_COLUMNS (ET_PANEL + ET_WIDE_HALF)
#define ET_WIDE_ROWS 4

#if defined(ET_CPU_ISA_AVX2) || defined(ET_CPU_ISA_AVX512)
#define ET_HAS_WIDE 1
#define ET_WIDE_VECTORS (ET_WIDE_COLUMNS / ET_WIDE_HALF)

/* Of more summands, the weights of high tiles are read less often. Those of AVX-512 take
 * wide tiles where columns would be wasted alone. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_MOST_WIDE_DEPTH 0
#else
#define ET_MOST_WIDE_DEPTH 128
#endif

/* Weights that come next, of which some lines are fetched with each tile. */
typedef struct et_wide_next {
  const float *at;
  size_t lines;
} et_wide_next;

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

/* `second` floats behind the first vector of a row of weights lies the next one. */
ET_INLINE void et_wide_add(const et_tiles *t, const float *x, size_t second,
                           et_wide_sums sums) {
  const float *panel = t->panels;
  const float *const end = panel + t->depth * ET_PANEL;
  for (; panel < end; panel += ET_PANEL, x++) {
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

ET_INLINE void et_wide_store(const et_tiles *t, float *out, __m256 low,
                             __m256 high, et_wide_sums sums) {
  ET_UNROLL for (int r = 0; r < ET_WIDE_ROWS; r++, out += t->out_stride) {
    ET_UNROLL for (int v = 0; v < ET_WIDE_VECTORS; v++) {
      _mm256_storeu_ps(out + v * ET_WIDE_HALF,
                       _mm256_min_ps(high, _mm256_max_ps(low, sums[r][v])));
    }
  }
}

/* Nothing with AVX-512: layers of 24 columns have few weights, and code may not be larger. */
ET_INLINE void et_wide_fetch(et_wide_next *next) {
  if (ET_MOST_WIDE_DEPTH > 0) {
    for (size_t i = 0; i < next->lines; i++, next->at += ET_PANEL) {
      et_prefetch_near(next->at);
    }
  }
}

/* Computes `count` tiles, one below the other. Sums that are not whole yet pass the
 * bounds as they are. */
ET_APART void et_wide_tiles(const et_tiles *all, size_t second, size_t count,
                            et_wide_next *next) {
  const et_tiles t = *all; /* which no result overlaps, as compilers see */
  const __m256 low =
      _mm256_set1_ps(t.last ? et_cpu_clamp_low(t.activation) : -INFINITY);
  const __m256 high =
      _mm256_set1_ps(t.last ? et_cpu_clamp_high(t.activation) : INFINITY);
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

#endif /* BACKENDS_CPU_SIMD_TILE_WIDE_H_ */
