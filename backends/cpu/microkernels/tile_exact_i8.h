/* Int8 tiles for instruction sets with exact dot products of quads.
 *
 *   s[r, n] += x[r, quad] . w[quad, n]  (int32)
 *
 * Rows are read through their addresses, [run][row]. Weights are [panel][quad][16][4]. A tile is up
 * to ET_I8_ROWS rows by 1 or 2 panels, or 6 rows by 4 panels; its accumulators fill the
 * registers. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_EXACT_I8_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_EXACT_I8_H_

#include "backends/cpu/microkernels/sums_i8.h"

#if ET_DOT4_EXACT

/* Returns vector `v` of quad `k`. Panels have `depth` quads. */
ET_INLINE et_i8 et_weights_at_i8(const int8_t *panels, size_t depth, size_t k,
                                 int v) {
  const size_t quad = (size_t)(v / ET_PANEL_VECTORS) * depth + k;
  return et_i8_load(panels + quad * 4 * ET_CPU_PANEL +
                    v % ET_PANEL_VECTORS * 4 * ET_CPU_LANES);
}

/* One run of quads (see et_packed_i8) in each of several rows. If `is_flipped`, quads are XORed
 * with `flip`. */
typedef struct et_run_i8 {
  const uint8_t *const *from; /* one address per row */
  size_t quads;
  bool is_flipped; /* a compile-time constant */
  et_i32 flip;
} et_run_i8;

ET_INLINE et_i8 et_quad_of_i8(const et_run_i8 *run, const uint8_t *from) {
  int32_t word;
  memcpy(&word, from, sizeof(word));
  const et_i32 all = et_i32_all(word);
  return (et_i8)(run->is_flipped ? all ^ run->flip : all);
}

/* Accumulates the dot products of one run with `panels` panels of weights. A panel has `depth`
 * quads, which are the weights of all runs; `weights` points to the first weight of this run. */
ET_INLINE void et_add_run_i8(const et_run_i8 *run, const int8_t *weights,
                             size_t depth, int rows, int panels,
                             et_sums_i8 sums) {
  const uint8_t *at[ET_I8_ROWS];
  ET_UNROLL for (int r = 0; r < rows; r++) { at[r] = run->from[r]; }
  for (size_t k = 0; k < 4 * run->quads; k += 4, weights += 4 * ET_CPU_PANEL) {
    et_i8 w[ET_I8_PANELS * ET_PANEL_VECTORS];
    ET_PIN_INDEX(k);
    ET_UNROLL for (int v = 0; v < panels * ET_PANEL_VECTORS; v++) {
      w[v] = et_weights_at_i8(weights, depth, 0, v);
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      et_i8 quad = et_quad_of_i8(run, at[r] + k);
      if (panels * ET_PANEL_VECTORS > 1) {
        ET_PIN(quad); /* loads each quad once */
      }
      ET_UNROLL for (int v = 0; v < panels * ET_PANEL_VECTORS; v++) {
        sums[r][v] = et_i32_dot4(sums[r][v], quad, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
  }
}

/* Accumulates the dot products of all runs, for `rows` rows, starting at `row`. */
ET_INLINE void et_add_runs_i8(const et_packed_i8 *packed, bool is_flipped,
                              const int8_t *weights, size_t row, int rows,
                              int panels, et_sums_i8 sums) {
  et_run_i8 run = {packed->from + row, packed->quads, is_flipped,
                   et_i32_all(packed->flip)};
  ET_PIN(run.flip); /* otherwise, GCC XORs words before it broadcasts them */
  for (size_t i = 0; i < packed->runs; i++, run.from += packed->rows) {
    et_add_run_i8(&run, weights, packed->depth, rows, panels, sums);
    weights += packed->quads * 4 * ET_CPU_PANEL;
  }
}

ET_INLINE void et_add_products_i8(const et_block_i8 *b, size_t row, int rows,
                                  int panels, et_sums_i8 sums) {
  if (b->packed->flip == 0) {
    et_add_runs_i8(b->packed, false, b->panels, row, rows, panels, sums);
  } else {
    et_add_runs_i8(b->packed, true, b->panels, row, rows, panels, sums);
  }
}

#endif

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_EXACT_I8_H_ */
