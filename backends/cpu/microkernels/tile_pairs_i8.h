/* Int8 tiles for instruction sets without exact dot products of quads.
 *
 * Rows are packed as [row][quad][4] int8, or [row][quad][2 words] int16. A tile is up to ET_I8_ROWS
 * rows by one panel, [quad][16][4].
 * - If products fit in int16 (ET_SUMS_OF_16), int8 pairs are multiplied and added in int16. After
 *   max_exact_terms quads, these sums are added to the int32 accumulators.
 * - Otherwise, weights are also widened to int16, and pairs of products are added in int32. */
#ifndef BACKENDS_CPU_MICROKERNELS_TILE_PAIRS_I8_H_
#define BACKENDS_CPU_MICROKERNELS_TILE_PAIRS_I8_H_

#include "backends/cpu/microkernels/sums_i8.h"

#if !ET_DOT4_EXACT

/* Position in the rows of a tile, with one address per three rows. An address per row would take
 * too many registers. */
typedef struct et_cursor_i8 {
  const int32_t *three[(ET_I8_ROWS + 2) / 3];
  size_t stride;
} et_cursor_i8;

ET_INLINE et_i32 et_word_of_i8(const et_cursor_i8 *at, int row) {
  return et_i32_all(at->three[row / 3][(size_t)(row % 3) * at->stride]);
}

/* Advances to the next word. */
ET_INLINE void et_advance_i8(et_cursor_i8 *at, int rows) {
  ET_UNROLL for (int i = 0; i < (rows + 2) / 3; i++) { at->three[i]++; }
}

/* Number of quads of a panel that are widened to int16 at once, for all tiles of a block, and
 * number of elements of a quad of a panel. Widened weights have the same order as widened rows. */
#define ET_WIDE_QUADS 128
#define ET_WIDE_QUAD (4 * ET_CPU_PANEL)

static void et_widen_panel_i8(const int8_t *panel, size_t depth, int16_t *to) {
  for (size_t k = 0; k < depth;
       k++, panel += ET_WIDE_QUAD, to += ET_WIDE_QUAD) {
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      const et_i16 both = (et_i16)et_i8_load(panel + v * 4 * ET_CPU_LANES);
      const et_i16 even = both << 8 >> 8;
      const et_i16 odd = both >> 8;
      memcpy(to + v * 2 * ET_CPU_LANES, &even, sizeof(even));
      memcpy(to + ET_WIDE_QUAD / 2 + v * 2 * ET_CPU_LANES, &odd, sizeof(odd));
    }
  }
}

/* Adds the products of a single row. Weights are widened as they are loaded. */
ET_INLINE void et_add_widening_i8(et_cursor_i8 at, const int8_t *panel,
                                  size_t depth, et_i32 *sums) {
  for (size_t k = 0; k < depth; k++, panel += ET_WIDE_QUAD) {
    const et_i16 even = (et_i16)et_word_of_i8(&at, 0);
    et_advance_i8(&at, 1);
    const et_i16 odd = (et_i16)et_word_of_i8(&at, 0);
    et_advance_i8(&at, 1);
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      const et_i16 both = (et_i16)et_i8_load(panel + v * 4 * ET_CPU_LANES);
      sums[v] = et_i32_dot2(sums[v], even, both << 8 >> 8);
      sums[v] = et_i32_dot2(sums[v], odd, both >> 8);
    }
  }
}

/* Adds the products of widened operands, half a quad at a time. */
ET_INLINE void et_add_wide_i8(et_cursor_i8 at, const int16_t *panel,
                              size_t depth, int rows, et_sums_i8 sums) {
  for (size_t k = 0; k < 2 * depth; k++, panel += ET_WIDE_QUAD / 2) {
    et_i16 w[ET_PANEL_VECTORS];
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      memcpy(&w[v], panel + v * 2 * ET_CPU_LANES, sizeof(w[v]));
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      et_i16 pair = (et_i16)et_word_of_i8(&at, r);
      ET_PIN(pair);
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        sums[r][v] = et_i32_dot2(sums[r][v], pair, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
    et_advance_i8(&at, rows);
  }
}

#if ET_SUMS_OF_16
/* Adds products in int16. The int16 accumulators are in registers, the int32 ones in memory. This
 * allows twice as many rows per load of weights, which is faster. */
ET_INLINE void et_add_windows_i8(et_cursor_i8 at, const int8_t *panel,
                                 const et_packed_i8 *packed, int rows,
                                 et_sums_i8 sums) {
  for (size_t k = 0; k < packed->depth; k += packed->max_exact_terms) {
    const size_t left = packed->depth - k;
    size_t count =
        left < packed->max_exact_terms ? left : packed->max_exact_terms;
    et_i16 pairs[ET_I8_ROWS][ET_PANEL_VECTORS] = {{{0}}};
    for (; count > 0; count--, panel += 4 * ET_CPU_PANEL) {
      et_i8 w[ET_PANEL_VECTORS];
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        w[v] = et_i8_load(panel + v * 4 * ET_CPU_LANES);
        ET_PIN(w[v]);
      }
      ET_UNROLL for (int r = 0; r < rows; r++) {
        et_i8 quad = (et_i8)et_word_of_i8(&at, r);
        ET_PIN(quad); /* loads each quad once */
        ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
          pairs[r][v] = et_i16_dot2(pairs[r][v], quad, w[v]);
          ET_PIN(pairs[r][v]);
        }
      }
      et_advance_i8(&at, rows);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        sums[r][v] = et_i32_add2(sums[r][v], pairs[r][v]);
      }
    }
  }
}
#endif

ET_INLINE void et_add_bytes_i8(et_cursor_i8 at, const int8_t *panel,
                               size_t depth, int rows, et_sums_i8 sums) {
  for (size_t k = 0; k < depth; k++) {
    et_i8 w[ET_PANEL_VECTORS];
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      w[v] = et_i8_load(panel + k * ET_WIDE_QUAD + v * 4 * ET_CPU_LANES);
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      const et_i8 quad = (et_i8)et_word_of_i8(&at, r);
      ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
        sums[r][v] = et_i32_dot4(sums[r][v], quad, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
    et_advance_i8(&at, rows);
  }
}

ET_INLINE et_cursor_i8 et_cursor_of_i8(const et_block_i8 *b, size_t row,
                                       int rows) {
  const et_packed_i8 *p = b->packed;
  et_cursor_i8 at = {.stride = p->depth * p->words};
  const int32_t *first = (const int32_t *)(const void *)p->first +
                         row * at.stride + b->first * p->words;
  ET_UNROLL for (int i = 0; i < (rows + 2) / 3; i++) {
    at.three[i] = first + 3 * (size_t)i * at.stride;
  }
  return at;
}

ET_INLINE void et_add_products_i8(const et_block_i8 *b, size_t row, int rows,
                                  int panels, et_sums_i8 sums) {
  const et_cursor_i8 at = et_cursor_of_i8(b, row, rows);
  (void)panels;
  if (b->wide != NULL) {
    et_add_wide_i8(at, b->wide, b->depth, rows, sums);
    return;
  }
  if (rows == 1 && b->packed->words == 2) { /* the only row of the block */
    et_add_widening_i8(at, b->panels, b->depth, sums[0]);
    return;
  }
  et_add_bytes_i8(at, b->panels, b->depth, rows, sums);
}

#if ET_SUMS_OF_16
/* Adds the products in int16. */
ET_INLINE void et_add_products_of_16_i8(const et_block_i8 *b, size_t row,
                                        int rows, et_sums_i8 sums) {
  et_add_windows_i8(et_cursor_of_i8(b, row, rows), b->panels, b->packed, rows,
                    sums);
}
#endif

#endif

#endif /* BACKENDS_CPU_MICROKERNELS_TILE_PAIRS_I8_H_ */
