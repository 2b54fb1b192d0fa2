#include "backends/cpu/simd/product_i8.h"

#include <float.h>
#include <math.h>

#include "backends/cpu/simd/activate.h"
#include "backends/cpu/simd/parameters.h"
#include "backends/cpu/simd/tile_i8.h"

/* Rows that are worked on together, and the quads of a group. */
#define ROWS 32
#define QUADS (ET_CPU_GROUP_I8 / 4)

_Static_assert(QUADS *ROWS <= ET_I8_MOST_QUADS, "a block of rows fits");

/* The first `count` lanes, all of them when there are more; the others are 0. */
ET_INLINE et_f32 load_first(const float *from, size_t count) {
  return count >= ET_CPU_LANES ? et_f32_load(from)
                               : et_f32_load_some(from, count);
}

ET_INLINE void store_first(float *to, et_f32 value, size_t count) {
  if (count >= ET_CPU_LANES) {
    et_f32_store(to, value);
  } else {
    et_f32_store_some(to, value, count);
  }
}

/* A row as bytes: (byte - zero_point) * scale. */
typedef struct row_bytes {
  float scale;
  float inverse;
  int32_t zero_point;
  int32_t total; /* of a group's bytes, less their zero points */
} row_bytes;

/* One call's state. */
typedef struct call {
  const et_cpu_product_i8 *product;
  size_t rows;
  const float *x;
  float *out;
  row_bytes of_rows[ROWS];
  uint8_t bytes[ROWS * ET_CPU_GROUP_I8];
  int32_t sums[ROWS * ET_PANEL] __attribute__((aligned(64)));
  int8_t quads[ET_CPU_GROUP_I8 * ET_PANEL] __attribute__((aligned(64)));
  et_packed_i8 packed;
} call;

/* The lowest and the highest number of each lane, NaN aside, and 0. */
typedef struct bounds {
  et_f32 low;
  et_f32 high;
} bounds;

ET_INLINE void widen_bounds(bounds *b, et_f32 x) {
  b->low = et_f32_select(x < b->low, x, b->low);
  b->high = et_f32_select(x > b->high, x, b->high);
}

/* Bytes from 0 to 255, one of which is zero. */
static row_bytes row_bytes_of(const float *x, size_t count) {
  bounds b = {et_f32_all(0.0f), et_f32_all(0.0f)};
  float low = 0.0f;
  float high = 0.0f;
  for (size_t i = 0; i < count; i += ET_CPU_LANES) {
    widen_bounds(&b, load_first(x + i, count - i));
  }
  for (int i = 0; i < ET_CPU_LANES; i++) {
    low = b.low[i] < low ? b.low[i] : low;
    high = b.high[i] > high ? b.high[i] : high;
  }
  const float step = (high - low) / 255.0f;
  const float scale = step > FLT_EPSILON ? step : FLT_EPSILON;
  const float zero_point = fminf(-rintf(low / scale), 255.0f);
  return (row_bytes){scale, 1.0f / scale,
                     zero_point > 0.0f ? (int32_t)zero_point : 0, 0};
}

/* Whole numbers from -zero point to 255 less it; NaN is the largest. */
ET_INLINE et_i32 steps_of(const row_bytes *row, et_f32 x) {
  const et_f32 low = et_f32_all((float)-row->zero_point);
  const et_f32 high = et_f32_all((float)(255 - row->zero_point));
  const et_f32 steps = x * et_f32_all(row->inverse);
  const et_f32 kept = et_f32_select(steps < high, steps, high);
  return et_i32_nearest(et_f32_at_least(kept, low), 0);
}

static void put_bytes(row_bytes *row, const float *x, size_t count,
                      uint8_t *to) {
  et_i32 total = et_i32_all(0);
  for (size_t i = 0; i < count; i += ET_CPU_LANES) {
    const et_i32 steps = steps_of(row, load_first(x + i, count - i));
    const et_i8_narrow bytes =
        et_i8_of_i32(steps + et_i32_all(row->zero_point));
    total += steps;
    if (count - i >= ET_CPU_LANES) {
      memcpy(to + i, &bytes, sizeof(bytes));
    } else {
      memcpy(to + i, &bytes, count - i);
    }
  }
  row->total = 0;
  for (int i = 0; i < ET_CPU_LANES; i++) {
    row->total += total[i];
  }
}

static void pack_group(call *c, size_t first) {
  const et_cpu_product_q *w = &c->product->weights;
  et_piece_i8 pieces[ROWS];
  for (size_t r = 0; r < c->rows; r++) {
    uint8_t *bytes = c->bytes + r * w->group;
    put_bytes(&c->of_rows[r], c->x + r * w->depth + first, w->group, bytes);
    pieces[r] = (et_piece_i8){bytes, w->group, 1, 0};
  }
  const et_rows_i8 from = {.pieces = pieces,
                           .count = c->rows,
                           .size = w->group,
                           .end = c->bytes + sizeof(c->bytes)};
  ET_CPU_NAME(et_cpu_pack_i8)(&c->packed, &from, c->rows);
}

/* Four codes of the lower halves of words, each in a byte. */
ET_INLINE et_i8 spread(et_u32 words) {
  et_u32 x = words & 0xffffu;
  x = (x | x << 8) & 0x00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0fu;
  return (et_i8)(x ^ 0x08080808u) - 8;
}

static void unpack(const int32_t *words, size_t count, int8_t *to) {
  for (size_t i = 0; i < count; i++, to += 8 * ET_PANEL) {
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      et_u32 w;
      memcpy(&w, words + i * ET_PANEL + v * ET_CPU_LANES, sizeof(w));
      const et_i8 low = spread(w);
      const et_i8 high = spread(w >> 16);
      memcpy(to + v * 4 * ET_CPU_LANES, &low, sizeof(low));
      memcpy(to + 4 * ET_PANEL + v * 4 * ET_CPU_LANES, &high, sizeof(high));
    }
  }
}

/* The group's weights as quads: those of 8 bits lie so. */
static const int8_t *quads_of(call *c, size_t panel, size_t first) {
  const et_cpu_product_q *w = &c->product->weights;
  const size_t codes = 32 / w->bits;
  const int32_t *words =
      w->words + (panel * w->depth + first) / codes * ET_PANEL;
  if (w->bits == 8) {
    return (const int8_t *)words;
  }
  unpack(words, w->group / codes, c->quads);
  return c->quads;
}

/* A group's scales and the like for one vector of columns. */
typedef struct columns_of {
  et_f32 scales;
  et_f32 zero_points;
  et_i32 sums;
} columns_of;

ET_INLINE columns_of columns_at(const et_cpu_product_i8 *p, size_t panel,
                                size_t first, int v) {
  const et_cpu_product_q *w = &p->weights;
  const size_t at =
      (panel * (w->depth / w->group) + first / w->group) * ET_PANEL +
      (size_t)v * ET_CPU_LANES;
  return (columns_of){et_parameters_load(&w->scales, at),
                      et_parameters_load(&w->zero_points, at),
                      et_i32_load(p->sums + at)};
}

/* Adds a group's exact sums, times its scales, to the results. */
static void add_group(call *c, size_t panel, size_t first, size_t columns) {
  const size_t stride = c->product->weights.columns;
  for (size_t done = 0; done < columns; done += ET_CPU_LANES) {
    const size_t left = columns - done;
    const columns_of w =
        columns_at(c->product, panel, first, (int)(done / ET_CPU_LANES));
    float *out = c->out + panel * ET_PANEL + done;
    for (size_t r = 0; r < c->rows; r++, out += stride) {
      const row_bytes *row = &c->of_rows[r];
      const et_i32 zero = et_i32_all(row->zero_point + c->packed.shift);
      const et_i32 sums = et_i32_load(c->sums + r * ET_PANEL + done);
      /* Without sign, as a payload's sums may not fit. */
      const et_u32 rest = (et_u32)sums - (et_u32)zero * (et_u32)w.sums;
      et_f32 value = et_f32_of_i32((et_i32)rest);
      value = et_f32_fma(-w.zero_points, et_f32_all((float)row->total), value);
      const et_f32 before =
          first == 0 ? et_f32_all(0.0f) : load_first(out, left);
      store_first(out, et_f32_fma(w.scales, value, before), left);
    }
  }
}

/* Scales of rows, the bias, the activation. */
static void finish(const call *c, size_t column, size_t columns) {
  const et_cpu_product_q *w = &c->product->weights;
  const et_f32 low = et_f32_all(et_cpu_clamp_low(&w->activation));
  const et_f32 high = et_f32_all(et_cpu_clamp_high(&w->activation));
  for (size_t r = 0; r < c->rows; r++) {
    const et_f32 scale = et_f32_all(c->of_rows[r].scale);
    float *out = c->out + r * w->columns + column;
    for (size_t done = 0; done < columns; done += ET_CPU_LANES) {
      const size_t left = columns - done;
      const et_f32 sum = load_first(out + done, left);
      const et_f32 bias = load_first(w->bias + column + done, left);
      store_first(out + done,
                  et_f32_clamp(et_f32_fma(sum, scale, bias), low, high), left);
    }
  }
  if (et_cpu_is_curve(&w->activation)) {
    ET_CPU_FLOAT_NAME(et_cpu_activate_f32)
    (&w->activation, c->out + column, w->columns, c->rows, columns);
  }
}

static void run_rows(call *c, const et_cpu_range *range) {
  const et_cpu_product_q *w = &c->product->weights;
  const size_t end = range->first_column + range->columns;
  for (size_t r = 0; r < c->rows; r++) {
    c->of_rows[r] = row_bytes_of(c->x + r * w->depth, w->depth);
  }
  for (size_t first = 0; first < w->depth; first += w->group) {
    pack_group(c, first);
    for (size_t n = range->first_column; n < end; n += ET_PANEL) {
      const size_t panel = n / ET_PANEL;
      ET_CPU_NAME(et_cpu_sums_i8)
      (&c->packed, quads_of(c, panel, first), c->sums);
      add_group(c, panel, first, end - n < ET_PANEL ? end - n : ET_PANEL);
    }
  }
  finish(c, range->first_column, range->columns);
}

void ET_CPU_NAME(et_cpu_product_i8)(const et_cpu_product_i8 *product,
                                    const et_cpu_range *range) {
  const et_cpu_product_q *w = &product->weights;
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
