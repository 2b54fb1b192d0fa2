/* Prologue and epilogue of the float32 register tile (tile.h).
 *
 *   prologue: s[r, v] = start[v], or y[r, v] in all K blocks but the first
 *   epilogue: y[r, v] = clamp(s[r, v] + residual[r, v]) in the last K block, else s[r, v]
 *
 * The accumulators, [rows][vectors], are in registers. The last panel may be partial. */
#ifndef BACKENDS_CPU_MICROKERNELS_SUMS_H_
#define BACKENDS_CPU_MICROKERNELS_SUMS_H_

#include "backends/cpu/microkernels/tile.h"

#define ET_TILE_PANELS 4 /* maximum number of panels per tile */
#define ET_TILE_VECTORS (ET_TILE_PANELS * ET_PANEL_VECTORS)
typedef et_f32 et_sums[ET_TILE_ROWS][ET_TILE_VECTORS];

/* Load and store vector `v` of a row whose last panel has `lanes` columns. AVX-512 masks the last
 * vector at no cost. Other instruction sets use whole vectors only. */
#if defined(ET_CPU_ISA_AVX512)
#define ET_SUM_IS_PART(v, vectors) ((v) == (vectors) - 1)
#else
#define ET_SUM_IS_PART(v, vectors) ((v) >= (vectors))
#endif

ET_INLINE et_f32 et_sum_load(const float *row, int v, int vectors,
                             size_t lanes) {
  const float *from = row + v * ET_CPU_LANES;
  return ET_SUM_IS_PART(v, vectors) ? et_f32_load_some(from, lanes)
                                    : et_f32_load(from);
}

ET_INLINE void et_sum_store(float *row, int v, int vectors, size_t lanes,
                            et_f32 sum) {
  float *to = row + v * ET_CPU_LANES;
  if (ET_SUM_IS_PART(v, vectors)) {
    et_f32_store_some(to, sum, lanes);
  } else {
    et_f32_store(to, sum);
  }
}

/* Initializes the accumulators of the tile whose results are stored at `out`. */
ET_INLINE void et_tile_begin(const et_tiles *t, const float *out, int rows,
                             int vectors, et_sums sums) {
  const float *from = t->start != NULL ? t->start : out;
  const size_t stride = t->start != NULL ? 0 : t->out_stride;
  ET_UNROLL for (int r = 0; r < rows; r++, from += stride) {
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      sums[r][v] = et_sum_load(from, v, vectors, t->lanes);
    }
  }
}

ET_INLINE void et_tile_add_residual(const et_tiles *t, const float *residual,
                                    int rows, int vectors, et_sums sums) {
  ET_UNROLL for (int r = 0; r < rows; r++, residual += t->residual_stride) {
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      sums[r][v] += et_sum_load(residual, v, vectors, t->lanes);
    }
  }
}

#if defined(ET_CPU_ISA_AVX512)
/* Stores each vector as soon as it is clamped: a store takes two cycles, which overlap with the
 * multiply-adds of the next tile. In all K blocks but the last, the bounds of the clamp are
 * infinite. */
ET_INLINE void et_tile_finish(const et_tiles *t, float *out, int rows,
                              int vectors, et_sums sums) {
  const size_t stride =
      t->out_stride;             /* a local copy, which stores cannot alias */
  const size_t lanes = t->lanes; /* also a local copy */
  const et_f32 low =
      et_f32_all(t->last ? et_cpu_clamp_low(t->activation) : -INFINITY);
  const et_f32 high =
      et_f32_all(t->last ? et_cpu_clamp_high(t->activation) : INFINITY);
  ET_UNROLL for (int r = 0; r < rows; r++, out += stride) {
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      ET_PIN_ORDER(sums[r][v]);
      et_sum_store(out, v, vectors, lanes, et_f32_clamp(sums[r][v], low, high));
    }
  }
}
#else
ET_INLINE void et_tile_clamp(const et_tiles *t, int rows, int vectors,
                             et_sums sums) {
  const et_f32 low = et_f32_all(t->activation->low);
  const et_f32 high = et_f32_all(t->activation->high);
  ET_UNROLL for (int r = 0; r < rows; r++) {
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      sums[r][v] = et_f32_clamp(sums[r][v], low, high);
    }
  }
}

ET_INLINE void et_tile_store(const et_tiles *t, float *out, int rows,
                             int vectors, et_sums sums) {
  const size_t stride =
      t->out_stride;             /* a local copy, which stores cannot alias */
  const size_t lanes = t->lanes; /* also a local copy */
  ET_UNROLL for (int r = 0; r < rows; r++, out += stride) {
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      et_sum_store(out, v, vectors, lanes, sums[r][v]);
    }
  }
}

ET_INLINE void et_tile_finish(const et_tiles *t, float *out, int rows,
                              int vectors, et_sums sums) {
  if (t->last && t->activation->function == ET_CPU_ACTIVATION_FUNCTION_CLAMP) {
    et_tile_clamp(t, rows, vectors, sums);
  }
  et_tile_store(t, out, rows, vectors, sums);
}
#endif

ET_INLINE void et_tile_end(const et_tiles *t, float *out, const float *residual,
                           int rows, int vectors, et_sums sums) {
  if (t->last && residual != NULL) {
    et_tile_add_residual(t, residual, rows, vectors, sums);
  }
  et_tile_finish(t, out, rows, vectors, sums);
}

/* Advances the tiles by `panels` panels. */
ET_INLINE void et_tiles_right(et_tiles *tiles, size_t panels) {
  tiles->panels += panels * tiles->panel_stride;
  tiles->out += panels * ET_CPU_PANEL;
  if (tiles->start != NULL) {
    tiles->start += panels * ET_CPU_PANEL;
  }
  if (tiles->residual != NULL) {
    tiles->residual += panels * ET_CPU_PANEL;
  }
}

ET_NOINLINE void et_copy_columns(const float *from, size_t from_stride,
                                 float *to, size_t to_stride, size_t rows,
                                 size_t columns) {
  for (size_t r = 0; r < rows; r++) {
    memcpy(to + r * to_stride, from + r * from_stride, columns * sizeof(float));
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_SUMS_H_ */
