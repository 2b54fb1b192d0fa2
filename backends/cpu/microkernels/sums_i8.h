/* Prologue and epilogue of the int8 tiles (tile_i8.h).
 *
 * The prologue initializes the int32 accumulators, [rows][vectors], or loads those of the previous
 * K block from [row][16]. The epilogue stores them there, or requantizes and stores them as int8 in
 * the last K block. */
#ifndef BACKENDS_CPU_MICROKERNELS_SUMS_I8_H_
#define BACKENDS_CPU_MICROKERNELS_SUMS_I8_H_

#include "backends/cpu/microkernels/tile_i8.h"

typedef et_i32 et_sums_i8[ET_I8_ROWS][ET_I8_PANELS * ET_PANEL_VECTORS];

/* State shared by all tiles of a block: `depth` quads of a panel, starting at `first`. */
typedef struct et_block_i8 {
  const et_packed_i8 *packed;
  const int8_t *panels;
  const int16_t *wide; /* the widened panel, or NULL */
  size_t first;        /* first quad */
  size_t depth;
  bool is_first; /* first K block: initialize the accumulators; otherwise, load
                    them from `sums` */
  bool is_last;
  const et_target_i8 *target; /* NULL: store accumulators only */
  int32_t *sums;
} et_block_i8;

/* Stores the bytes of `rows` rows of `panels` panels, or only their first `columns` columns. */
ET_INLINE void et_put_rows_of_i8(uint8_t *out, size_t stride, size_t columns,
                                 int rows, int panels, et_u8 bytes) {
  const int parts = ET_ROUNDED_PANELS / panels;
  const bool whole = columns >= (size_t)panels * ET_CPU_PANEL;
  ET_UNROLL for (int r = 0; r < rows; r++, out += stride) {
    if (whole) {
      et_u8_store_part(out, bytes, r, parts);
    } else {
      et_u8_store_some(out, bytes, r, parts, columns);
    }
  }
}

/* Requantizes and stores a tile. The parameters are local copies, because any store of bytes could
 * alias the originals. */
ET_INLINE void et_put_bytes_i8(const et_block_i8 *b, size_t row, int rows,
                               int panels, et_sums_i8 sums) {
  const et_target_i8 target = *b->target;
  const et_rounder rounder = *target.rounder;
  const int there =
      ET_ROUNDED_PANELS / panels; /* rows that are requantized at once */
  uint8_t *out = target.out + row * target.stride;
  ET_UNROLL for (int i = 0; i < rows; i += there) {
    const int left = rows - i < there ? rows - i : there;
    et_f32 steps[ET_ROUNDED];
    ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
      const int at =
          v / ET_PANEL_VECTORS < left * panels ? v / ET_PANEL_VECTORS : 0;
      const et_requantizer *r = &target.requantizers[at % panels];
      steps[v] = et_steps_of(
          sums[i + at / panels]
              [at % panels * ET_PANEL_VECTORS + v % ET_PANEL_VECTORS],
          r->scale[v % ET_PANEL_VECTORS], r->bias[v % ET_PANEL_VECTORS]);
    }
    const et_u8 bytes =
        et_u8_in_order(et_rounded(&rounder, steps, target.is_far));
    et_put_rows_of_i8(out, target.stride, target.columns, left, panels, bytes);
    out += (size_t)there * target.stride;
  }
}

/* Returns vector `v` of row `row + r` of the stored accumulators, which have one panel. */
ET_INLINE int32_t *et_stored_sum_i8(const et_block_i8 *b, size_t row, int r,
                                    int v) {
  return b->sums + (row + (size_t)r) * ET_CPU_PANEL + v * ET_CPU_LANES;
}

ET_INLINE void et_put_sums_i8(const et_block_i8 *b, size_t row, int rows,
                              et_sums_i8 sums) {
  ET_UNROLL for (int r = 0; r < rows; r++) {
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      et_i32_store(et_stored_sum_i8(b, row, r, v), sums[r][v]);
    }
  }
}

ET_INLINE void et_get_sums_i8(const et_block_i8 *b, size_t row, int rows,
                              et_sums_i8 sums) {
  ET_UNROLL for (int r = 0; r < rows; r++) {
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      sums[r][v] = et_i32_load(et_stored_sum_i8(b, row, r, v));
    }
  }
}

ET_INLINE void et_start_sums_i8(const et_block_i8 *b, int rows, int panels,
                                et_sums_i8 sums) {
  ET_UNROLL for (int v = 0; v < panels * ET_PANEL_VECTORS; v++) {
    const et_i32 start = b->target == NULL
                             ? et_i32_all(0)
                             : b->target->requantizers[v / ET_PANEL_VECTORS]
                                   .start[v % ET_PANEL_VECTORS];
    ET_UNROLL for (int r = 0; r < rows; r++) { sums[r][v] = start; }
  }
}

#endif /* BACKENDS_CPU_MICROKERNELS_SUMS_I8_H_ */
