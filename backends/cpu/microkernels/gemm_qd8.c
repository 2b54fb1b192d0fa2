/* Implements et_cpu_gemm_qd8 of gemm_qd8.h: dynamically quantized rows and 8-bit weights.
 *
 *   s = sum over a group of x8[m, k] * w8[k, n]  (int32, exact)
 *   y[m, n] += (s - x_zero[m] * sums[g, n] - w_zero[g, n] * totals[m]) * w_scale[g, n]
 *   y[m, n] = activation(y[m, n] * x_scale[m] + bias[n])
 *
 * sums and totals are the sums of the group's weights and of its elements of x. A block of ROWS
 * rows is quantized and packed one group at a time, then multiplied by each panel, [quad][16][4],
 * with the int8 tiles (tile_i8.h). Between two groups, y holds the partial results. int8 dot
 * products are the bottleneck; with one row, memory bandwidth is. */
#include "backends/cpu/microkernels/gemm_qd8.h"

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/parameters.h"
#include "backends/cpu/microkernels/quantize_row.h"
#include "backends/cpu/microkernels/tile_i8.h"

/* Number of rows per block, and maximum number of quads per group. */
#define ROWS 32
#define QUADS (ET_CPU_QD8_MAX_GROUP / 4)

_Static_assert(QUADS *ROWS <= ET_I8_MAX_QUADS,
               "a group of ROWS rows fits in a packed block");

/* State of a call. */
typedef struct call {
  const et_cpu_gemm_qd8 *product;
  size_t rows;
  const float *x;
  float *out;
  et_row_qd8 of_rows[ROWS];
  /* Sums of a group's quantized values, relative to the zero points. */
  int32_t totals[ROWS];
  uint8_t bytes[ROWS * ET_CPU_QD8_MAX_GROUP];
  int32_t sums[ROWS * ET_CPU_PANEL] __attribute__((aligned(64)));
  et_packed_i8 packed;
} call;

static void pack_group(call *c, size_t first) {
  const et_cpu_gemm_qbw *w = &c->product->weights;
  et_piece_i8 pieces[ROWS];
  for (size_t r = 0; r < c->rows; r++) {
    uint8_t *bytes = c->bytes + r * w->group;
    c->totals[r] = et_quantize_row(&c->of_rows[r], c->x + r * w->depth + first,
                                   w->group, 0, bytes);
    pieces[r] = (et_piece_i8){bytes, w->group, 1, 0};
  }
  const et_rows_i8 from = {.pieces = pieces,
                           .count = c->rows,
                           .size = w->group,
                           .end = c->bytes + sizeof(c->bytes)};
  ET_CPU_NAME(et_cpu_pack_i8)(&c->packed, &from, c->rows);
}

/* Returns the weights of a group, packed in quads. */
static const int8_t *quads_of(const call *c, size_t panel, size_t first) {
  const et_cpu_gemm_qbw *w = &c->product->weights;
  return (const int8_t *)(w->words +
                          (panel * w->depth + first) / 4 * ET_CPU_PANEL);
}

/* Parameters of a group for one vector of columns. */
typedef struct columns_of {
  et_f32 scales;
  et_f32 zero_points;
  et_i32 sums;
} columns_of;

ET_INLINE columns_of columns_at(const et_cpu_gemm_qd8 *p, size_t panel,
                                size_t first, int v) {
  const et_cpu_gemm_qbw *w = &p->weights;
  const size_t at =
      (panel * (w->depth / w->group) + first / w->group) * ET_CPU_PANEL +
      (size_t)v * ET_CPU_LANES;
  return (columns_of){et_scales_load(&w->scales, at),
                      et_parameters_load(&w->zero_points, at),
                      et_i32_load(p->sums + at)};
}

/* Multiplies the exact sums of a group by its scales and adds them to the results. */
static void add_group(call *c, size_t panel, size_t first, size_t columns) {
  const size_t stride = c->product->weights.columns;
  for (size_t done = 0; done < columns; done += ET_CPU_LANES) {
    const size_t left = columns - done;
    const columns_of w =
        columns_at(c->product, panel, first, (int)(done / ET_CPU_LANES));
    float *out = c->out + panel * ET_CPU_PANEL + done;
    for (size_t r = 0; r < c->rows; r++, out += stride) {
      const et_row_qd8 *row = &c->of_rows[r];
      const et_i32 zero = et_i32_all(row->zero_point + c->packed.shift);
      const et_i32 sums = et_i32_load(c->sums + r * ET_CPU_PANEL + done);
      /* Unsigned, because the sums of an invalid payload may overflow. */
      const et_u32 rest = (et_u32)sums - (et_u32)zero * (et_u32)w.sums;
      et_f32 value = et_f32_of_i32((et_i32)rest);
      value =
          et_f32_fma(-w.zero_points, et_f32_all((float)c->totals[r]), value);
      const et_f32 before =
          first == 0 ? et_f32_all(0.0f) : et_load_first(out, left);
      et_store_first(out, et_f32_fma(w.scales, value, before), left);
    }
  }
}

/* Applies the scales of the rows, the bias and the activation. */
static void finish(const call *c, size_t column, size_t columns) {
  const et_cpu_gemm_qbw *w = &c->product->weights;
  const et_f32 low = et_f32_all(et_cpu_clamp_low(&w->activation));
  const et_f32 high = et_f32_all(et_cpu_clamp_high(&w->activation));
  for (size_t r = 0; r < c->rows; r++) {
    const et_f32 scale = et_f32_all(c->of_rows[r].scale);
    float *out = c->out + r * w->columns + column;
    for (size_t done = 0; done < columns; done += ET_CPU_LANES) {
      const size_t left = columns - done;
      const et_f32 sum = et_load_first(out + done, left);
      const et_f32 bias = et_load_first(w->bias + column + done, left);
      et_store_first(out + done,
                     et_f32_clamp(et_f32_fma(sum, scale, bias), low, high),
                     left);
    }
  }
  if (et_cpu_is_curve(&w->activation)) {
    ET_CPU_FLOAT_NAME(et_cpu_activate_f32)
    (&w->activation, c->out + column, w->columns, c->rows, columns);
  }
}

static void run_rows(call *c, const et_cpu_range *range) {
  const et_cpu_gemm_qbw *w = &c->product->weights;
  const size_t end = range->first_column + range->columns;
  for (size_t r = 0; r < c->rows; r++) {
    c->of_rows[r] = et_row_qd8_of(c->x + r * w->depth, w->depth);
  }
  for (size_t first = 0; first < w->depth; first += w->group) {
    pack_group(c, first);
    for (size_t n = range->first_column; n < end; n += ET_CPU_PANEL) {
      const size_t panel = n / ET_CPU_PANEL;
      ET_CPU_NAME(et_cpu_sums_i8)
      (&c->packed, quads_of(c, panel, first), c->sums);
      add_group(c, panel, first,
                end - n < ET_CPU_PANEL ? end - n : ET_CPU_PANEL);
    }
  }
  finish(c, range->first_column, range->columns);
}

void ET_CPU_NAME(et_cpu_gemm_qd8)(const et_cpu_gemm_qd8 *product,
                                  const et_cpu_range *range) {
  const et_cpu_gemm_qbw *w = &product->weights;
  call c;
  c.product = product;
  for (size_t row = 0; row < range->rows; row += ROWS) {
    const size_t left = range->rows - row;
    c.rows = left < ROWS ? left : ROWS;
    c.x = w->x + (range->first_row + row) * w->depth;
    c.out = w->out + (range->first_row + row) * w->columns;
    run_rows(&c, range);
  }
}
