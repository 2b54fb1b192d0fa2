/* Short AVX-512 tiles, which have few rows, for a small K. The dot products of a tile are
 * interleaved with the requantization of the previous tile. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_LOW_I8_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_LOW_I8_H_

#include "backends/cpu/microkernels/tile_exact_i8.h"

#if defined(ET_CPU_ISA_AVX512)

/* Range of K, in quads, for short tiles. Above it, loading weights would take longer than the dot
 * products. Below it, requantization would take longer than the dot products. */
#define ET_MIN_LOW_QUADS 4
#define ET_MAX_LOW_QUADS 48
/* Minimum K in quads for tiles of four panels. Below it, loading the requantization parameters
 * takes longer than loading rows twice. */
#define ET_WIDE_LOW_QUADS 16

/* Number of accumulators of a short tile, which has two, four or eight rows. */
#define ET_LOW_SUMS 8

ET_INLINE void et_add_low_i8(const uint8_t *const *at, const int8_t *weights,
                             size_t depth, size_t k, int panels, et_i32 *sums) {
  const int rows = ET_LOW_SUMS / panels;
  et_i8 w[ET_I8_PANELS];
  ET_UNROLL for (int v = 0; v < panels; v++) {
    w[v] = et_weights_at_i8(weights, depth, k, v);
    ET_PIN(w[v]);
  }
  ET_UNROLL for (int r = 0; r < rows; r++) {
    int32_t word;
    memcpy(&word, at[r] + 4 * k, sizeof(word));
    et_i8 quad = (et_i8)et_i32_all(word);
    if (panels > 1) {
      ET_PIN(quad);
    }
    ET_UNROLL for (int v = 0; v < panels; v++) {
      const int i = r * panels + v;
      sums[i] = et_i32_dot4(sums[i], quad, w[v]);
      ET_PIN(sums[i]);
    }
  }
}

/* Runs step 0, 1, 2 or 3 of the requantization of a short tile. Each half of the tile takes two
 * steps. */
ET_INLINE void et_requantize_low_i8(const et_target_i8 *target,
                                    const et_rounder *rounder, int panels,
                                    int step, const et_i32 *sums, et_f32 *steps,
                                    uint8_t *out) {
  const int first = step / 2 * ET_ROUNDED;
  if (step % 2 == 0) {
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      const et_requantizer *r = &target->requantizers[v % panels];
      steps[v] = et_steps_of(sums[first + v], r->scale[0], r->bias[0]);
      ET_PIN(steps[v]);
    }
    return;
  }
  const et_u8 bytes = et_u8_in_order(et_rounded(rounder, steps, false));
  et_put_rows_of_i8(out + (size_t)(first / panels) * target->stride,
                    target->stride, target->columns, ET_ROUNDED / panels,
                    panels, bytes);
}

/* Returns the target of the panels that start at `panel`. */
ET_INLINE et_target_i8 et_target_at_i8(const et_target_i8 *all, size_t panel) {
  et_target_i8 target = *all;
  target.out += panel * ET_CPU_PANEL;
  target.columns -= panel * ET_CPU_PANEL;
  target.requantizers += panel;
  return target;
}

/* Computes `panels` panels, starting at `panel`. Dot products are interleaved with the
 * requantization of the previous tile, because a tile is longer than the reorder window. The first
 * stores write garbage, which the first tile overwrites. The last tile may recompute rows. The
 * requantizers of one or two panels are local copies, which stores cannot alias. Those of four
 * panels do not fit in registers. */
ET_INLINE void et_run_low_i8(const et_block_i8 *b, size_t panel, int panels) {
  const et_packed_i8 *p = b->packed;
  const int8_t *weights = b->panels + panel * p->depth * 4 * ET_CPU_PANEL;
  et_target_i8 target = et_target_at_i8(b->target, panel);
  const et_rounder rounder = *target.rounder;
  et_requantizer near[2];
  if (panels <= 2) {
    ET_UNROLL for (int v = 0; v < panels; v++) {
      near[v] = target.requantizers[v];
    }
    target.requantizers = near;
  }
  const int rows = ET_LOW_SUMS / panels;
  const size_t height = (size_t)rows;
  uint8_t *out = target.out;
  et_i32 before[ET_LOW_SUMS] = {{0}};
  et_f32 steps[ET_ROUNDED];
  for (size_t row = 0; row < p->rows; row += height) {
    const size_t first = row + height <= p->rows ? row : p->rows - height;
    const uint8_t *at[ET_LOW_SUMS];
    et_i32 sums[ET_LOW_SUMS];
    ET_UNROLL for (int i = 0; i < ET_LOW_SUMS; i++) {
      sums[i] = target.requantizers[i % panels].start[0];
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      at[r] = p->from[first + (size_t)r];
    }
    ET_UNROLL for (int k = 0; k < ET_MIN_LOW_QUADS; k++) {
      et_add_low_i8(at, weights, p->depth, (size_t)k, panels, sums);
      et_requantize_low_i8(&target, &rounder, panels, k, before, steps, out);
    }
    for (size_t k = ET_MIN_LOW_QUADS; k < p->depth; k++) {
      et_add_low_i8(at, weights, p->depth, k, panels, sums);
    }
    ET_UNROLL for (int i = 0; i < ET_LOW_SUMS; i++) { before[i] = sums[i]; }
    out = target.out + first * target.stride;
  }
  ET_UNROLL for (int k = 0; k < ET_MIN_LOW_QUADS; k++) {
    et_requantize_low_i8(&target, &rounder, panels, k, before, steps, out);
  }
}

/* Returns the number of panels of a short tile. */
ET_INLINE size_t et_low_panels_i8(size_t depth, size_t panels) {
  return panels == 4 && depth < ET_WIDE_LOW_QUADS ? 2 : panels;
}

static bool et_run_low_tiles_i8(const et_block_i8 *b, size_t panels) {
  const et_packed_i8 *p = b->packed;
  const size_t at_once = et_low_panels_i8(p->depth, panels);
  if (p->depth < ET_MIN_LOW_QUADS || p->depth > ET_MAX_LOW_QUADS ||
      p->runs > 1 || p->flip != 0 || p->rows * at_once < ET_LOW_SUMS ||
      b->target == NULL || b->target->is_far) {
    return false;
  }
  for (size_t panel = 0; panel < panels; panel += at_once) {
    if (at_once == 4) {
      et_run_low_i8(b, panel, 4);
    } else if (at_once == 2) {
      et_run_low_i8(b, panel, 2);
    } else {
      et_run_low_i8(b, panel, 1);
    }
  }
  return true;
}

#endif

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_LOW_I8_H_ */
