/* Implements conv_planar.h: convolution of a planar (NCHW) image, one output row per call.
 *
 * find_columns() splits the row into spans. For each span, list_taps() lists the address of every
 * element of K for column 0, in the order of the packed weights, [panel][K][16]. Adjacent columns
 * are a constant distance apart. add_taps() accumulates all of K for tiles of ET_TILE_ROWS columns
 * by one panel, or by 2 panels or 2 tiles with AVX-512. run_part() computes partial tiles.
 * Multiply-adds are the bottleneck. */
#include "backends/cpu/microkernels/conv_planar.h"

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/sums.h"
#include "runtime/core/arithmetic.h"

/* PANELS: number of panels per tile of ET_TILE_ROWS outputs. TILES: number of one-panel tiles that
 * are computed at once. Larger values hide the latency at the start and the end of a tile, and save
 * loads: with AVX-512, two panels share the elements of the image. Four panels would increase the
 * code size. */
#if defined(ET_CPU_ISA_AVX512)
#define PANELS 2
#define TILES 2
#else
#define PANELS 1
#define TILES 1
#endif

/* Number of outputs of a span at an edge of the image. */
#define EDGE (TILES * (size_t)ET_TILE_ROWS)

/* A span: consecutive outputs ("columns") of a row, and the input elements in their windows. */
typedef struct span {
  const et_cpu_conv *conv;
  const float *image;
  size_t y;     /* image row of tap row 0; wraps if negative */
  size_t first; /* first column */
  size_t columns;
  float *out; /* first output of the row */
  const float *residual;
  size_t pitch;      /* elements per copied row */
  const float *from; /* element of tap 0 and column 0 */
  size_t row_step;   /* distance between rows of taps, in elements */
  size_t channel_step;
  const float *taps[ET_CPU_CONV_PLANAR_TAPS]; /* taps of column 0 */
  float rows[ET_CPU_CONV_PLANAR_FLOATS];      /* [channel][kernel_y][pitch] */
} span;

ET_NOINLINE void put_zeros(float *to, size_t count) {
  if (count > 0) {
    memset(to, 0, count * sizeof(float));
  }
}

/* Copies `count` elements of a row, starting at `begin`. Elements outside the image are 0. */
static void copy_row(const float *row, size_t width, ptrdiff_t begin,
                     size_t count, float *to) {
  const ptrdiff_t end = begin + (ptrdiff_t)count;
  const ptrdiff_t from = begin < 0 ? 0 : begin;
  const ptrdiff_t stop = end < (ptrdiff_t)width ? end : (ptrdiff_t)width;
  if (row == NULL || from >= stop) {
    put_zeros(to, count);
    return;
  }
  const size_t before = (size_t)(from - begin);
  const size_t inside = (size_t)(stop - from);
  put_zeros(to, before);
  memcpy(to + before, row + from, inside * sizeof(float));
  put_zeros(to + before + inside, count - before - inside);
}

static void copy_rows(span *s) {
  const et_cpu_window *w = &s->conv->window;
  const size_t plane = w->height * w->width;
  const ptrdiff_t begin = (ptrdiff_t)(s->first * w->stride_x - w->left);
  float *to = s->rows;
  for (size_t c = 0; c < s->conv->channels; c++) {
    size_t y = s->y;
    for (size_t i = 0; i < w->kernel_y; i++, y += w->dilation_y) {
      const float *row =
          y < w->height ? s->image + c * plane + y * w->width : NULL;
      copy_row(row, w->width, begin, s->pitch, to);
      to += s->pitch;
    }
  }
}

/* Lists the taps in the order of the packed weights: row, column, channel. With 0 channels,
 * weights are empty and do not limit the number of taps, so no taps are listed. */
static void list_taps(span *s) {
  const et_cpu_window *w = &s->conv->window;
  const float **tap = s->taps;
  if (s->conv->channels == 0) {
    return;
  }
  for (size_t i = 0; i < w->kernel_y; i++) {
    for (size_t j = 0; j < w->kernel_x; j++) {
      const float *from = s->from + i * s->row_step + j * w->dilation_x;
      for (size_t c = 0; c < s->conv->channels; c++, from += s->channel_step) {
        *tap++ = from;
      }
    }
  }
}

/* Adds one tap. x: the tap's element for the first column of the tile. */
ET_INLINE void add_tap(const float *x, size_t stride, const et_f32 *w,
                       int vectors, et_sums sums) {
  ET_UNROLL for (int r = 0; r < ET_TILE_ROWS; r++) {
    const et_f32 element = et_f32_all(x[(size_t)r * stride]);
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      sums[r][v] = et_f32_fma(element, w[v], sums[r][v]);
    }
  }
}

/* Adds all taps to `tiles` adjacent tiles. */
ET_INLINE void add_taps(const et_tiles *t, const float *const *taps, size_t at,
                        size_t stride, int vectors, int tiles, et_sums *sums) {
  const float *panels = t->panels;
  for (size_t k = 0; k < t->depth; k++, panels += ET_CPU_PANEL) {
    const float *x = taps[k] + at;
    et_f32 w[ET_TILE_VECTORS];
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      w[v] = et_f32_load(panels + v / ET_PANEL_VECTORS * t->panel_stride +
                         v % ET_PANEL_VECTORS * ET_CPU_LANES);
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int i = 0; i < tiles; i++, x += ET_TILE_ROWS * stride) {
      add_tap(x, stride, w, vectors, sums[i]);
    }
  }
}

/* Adds all taps to the columns that start at `column`. A stride of 2, which is common in first
 * layers, is passed as a constant, so that offsets are immediates. With AVX-512, the gain does not
 * justify the extra code. */
ET_INLINE void add_columns(const et_tiles *t, const span *s, size_t column,
                           int vectors, int tiles, et_sums *sums) {
  const size_t stride = s->conv->window.stride_x;
#if !defined(ET_CPU_ISA_AVX512)
  if (stride == 2) {
    add_taps(t, s->taps, column * 2, 2, vectors, tiles, sums);
    return;
  }
#endif
  add_taps(t, s->taps, column * stride, stride, vectors, tiles, sums);
}

ET_INLINE void run_tiles(const et_tiles *t, const span *s, size_t column,
                         int panels, int tiles) {
  const int vectors = panels * ET_PANEL_VECTORS;
  const float *residual = t->residual;
  float *out = t->out;
  et_sums sums[TILES];
  ET_UNROLL for (int i = 0; i < tiles; i++) {
    et_tile_begin(t, out, ET_TILE_ROWS, vectors, sums[i]);
  }
  add_columns(t, s, column, vectors, tiles, sums);
  ET_UNROLL for (int i = 0; i < tiles; i++) {
    et_tile_end(t, out, residual, ET_TILE_ROWS, vectors, sums[i]);
    out += ET_TILE_ROWS * t->out_stride;
    residual += residual == NULL ? 0 : ET_TILE_ROWS * t->residual_stride;
  }
}

typedef void tile_function(const et_tiles *t, const span *s, size_t column);

static void run_one(const et_tiles *t, const span *s, size_t column) {
  run_tiles(t, s, column, 1, 1);
}

static void run_several(const et_tiles *t, const span *s, size_t column) {
  run_tiles(t, s, column, PANELS, 1);
}

static void run_together(const et_tiles *t, const span *s, size_t column) {
  run_tiles(t, s, column, 1, TILES);
}

/* Computes a partial tile, which has fewer rows or columns. */
ET_NOINLINE void run_part(const et_tiles *tiles, const span *s, size_t column,
                          size_t rows, size_t columns) {
  float out[ET_TILE_ROWS * ET_CPU_PANEL];
  float residual[ET_TILE_ROWS * ET_CPU_PANEL] = {0};
  et_tiles part = *tiles;
  if (part.residual != NULL) {
    et_copy_columns(part.residual, part.residual_stride, residual, ET_CPU_PANEL,
                    rows, columns);
    part.residual = residual;
    part.residual_stride = ET_CPU_PANEL;
  }
  part.out = out;
  part.out_stride = ET_CPU_PANEL;
  run_one(&part, s, column);
  et_copy_columns(out, ET_CPU_PANEL, tiles->out, tiles->out_stride, rows,
                  columns);
}

ET_NOINLINE void run_at(const et_tiles *tiles, const span *s, size_t column,
                        tile_function *function) {
  et_tiles t = *tiles;
  t.out += column * t.out_stride;
  t.residual += t.residual == NULL ? 0 : column * t.residual_stride;
  function(&t, s, column);
}

/* Computes the columns of the span that start at `from`, for whole panels. The last tile ends with
 * the span. It recomputes some outputs of the previous tile, with identical results. */
ET_NOINLINE void run_panels(const et_tiles *tiles, const span *s, size_t from,
                            tile_function *function) {
  const size_t last = s->columns - ET_TILE_ROWS;
  for (size_t x = from; x < s->columns; x += ET_TILE_ROWS) {
    run_at(tiles, s, x < last ? x : last, function);
  }
}

/* Computes the span for one panel. */
static void run_panel(const et_tiles *tiles, const span *s) {
  const size_t width = TILES * (size_t)ET_TILE_ROWS;
  size_t x = 0;
  for (; TILES > 1 && x + width <= s->columns; x += width) {
    run_at(tiles, s, x, run_together);
  }
  run_panels(tiles, s, x, run_one);
}

/* Computes the span for a partial panel of `count` columns, or a span shorter than a tile. */
static void run_parts(const et_tiles *tiles, const span *s, size_t count) {
  for (size_t x = 0; x < s->columns; x += ET_TILE_ROWS) {
    const size_t left = s->columns - x;
    et_tiles t = *tiles;
    t.out += x * t.out_stride;
    t.residual += t.residual == NULL ? 0 : x * t.residual_stride;
    run_part(&t, s, x, left < ET_TILE_ROWS ? left : ET_TILE_ROWS, count);
  }
}

static et_tiles span_tiles(const span *s) {
  const et_cpu_conv *c = s->conv;
  const et_cpu_window *w = &c->window;
  const size_t first = s->first * c->columns;
  const size_t depth = c->channels * w->kernel_y * w->kernel_x;
  const et_tiles tiles = {.depth = depth,
                          .panels = c->panels,
                          .panel_stride = depth * ET_CPU_PANEL,
                          .lanes = ET_CPU_PANEL,
                          .start = c->bias,
                          .out = s->out + first,
                          .out_stride = c->columns,
                          .residual =
                              s->residual == NULL ? NULL : s->residual + first,
                          .residual_stride = c->columns,
                          .last = true,
                          .activation = &c->activation};
  return tiles;
}

static void run_span(const span *s) {
  et_tiles tiles = span_tiles(s);
  size_t left = s->conv->columns;
  while (left > 0) {
    const bool whole = s->columns >= ET_TILE_ROWS && left >= ET_CPU_PANEL;
    const bool several = whole && left >= PANELS * ET_CPU_PANEL;
    if (several) {
      run_panels(&tiles, s, 0, run_several);
    } else if (whole) {
      run_panel(&tiles, s);
    } else {
      run_parts(&tiles, s, left < ET_CPU_PANEL ? left : ET_CPU_PANEL);
    }
    const size_t panels = several ? PANELS : 1;
    et_tiles_right(&tiles, panels);
    left -= left < panels * ET_CPU_PANEL ? left : panels * ET_CPU_PANEL;
  }
}

static size_t reach_of(size_t kernel, size_t dilation) {
  return (kernel - 1) * dilation + 1;
}

/* Returns the number of elements of a row that the span reads. */
static size_t span_of(const span *s) {
  const et_cpu_window *w = &s->conv->window;
  const size_t columns = s->columns < ET_TILE_ROWS ? ET_TILE_ROWS : s->columns;
  return (columns - 1) * w->stride_x + reach_of(w->kernel_x, w->dilation_x);
}

static void copy_span(span *s) {
  s->pitch = span_of(s);
  s->from = s->rows;
  s->row_step = s->pitch;
  s->channel_step = s->conv->window.kernel_y * s->pitch;
  copy_rows(s);
}

/* Returns whether rows of the image can be read in place. Partial tiles would read past the end of
 * the rows. */
static bool has_rows_inside(const span *s) {
  const et_cpu_window *w = &s->conv->window;
  const size_t reach = reach_of(w->kernel_y, w->dilation_y);
  return s->conv->columns % ET_CPU_PANEL == 0 && s->y < w->height &&
         reach <= w->height - s->y;
}

/* Returns the number of columns, starting at `first`, whose windows are inside the image. The
 * columns after them, if any, fill at least one tile. */
static size_t columns_inside(const span *s) {
  const et_cpu_window *w = &s->conv->window;
  const size_t begin = s->first * w->stride_x - w->left; /* wraps if negative */
  const size_t reach = reach_of(w->kernel_x, w->dilation_x);
  const size_t left = w->out_width - s->first;
  if (begin >= w->width || reach > w->width - begin) {
    return 0;
  }
  const size_t max = (w->width - begin - reach) / w->stride_x + 1;
  return max >= left ? left : max - et_min_size(max, ET_TILE_ROWS);
}

/* Finds the columns of the next span. If their windows are inside the image, its rows are read in
 * place; copying them would take a tenth of the op's time. Otherwise, rows are copied. At an edge,
 * only EDGE columns are copied, so that the next span can read rows in place. */
ET_NOINLINE void find_columns(span *s, size_t max, bool rows_inside) {
  const et_cpu_window *w = &s->conv->window;
  const size_t left = w->out_width - s->first;
  const size_t inside = rows_inside ? columns_inside(s) : 0;
  if (inside >= ET_TILE_ROWS) {
    s->columns = inside;
    s->from = s->image + s->y * w->width + s->first * w->stride_x - w->left;
    s->row_step = w->dilation_y * w->width;
    s->channel_step = w->height * w->width;
  } else {
    const bool is_edge = rows_inside && left >= 2 * EDGE;
    s->columns = et_min_size(is_edge ? EDGE : left, max);
    copy_span(s);
  }
  list_taps(s);
}

void ET_CPU_NAME(et_cpu_conv_planar_f32)(const et_cpu_conv *conv, size_t row,
                                         float *out, const float *residual) {
  const et_cpu_window *w = &conv->window;
  const size_t max = et_cpu_conv_planar_columns(w, conv->channels);
  span s;
  s.conv = conv;
  s.image =
      conv->x + row / w->out_height * conv->channels * w->height * w->width;
  s.y = row % w->out_height * w->stride_y - w->top;
  s.out = out;
  s.residual = residual;
  const bool rows_inside = has_rows_inside(&s);
  for (s.first = 0; s.first < w->out_width; s.first += s.columns) {
    find_columns(&s, max, rows_inside);
    run_span(&s);
  }
  if (et_cpu_is_curve(&conv->activation)) {
    const size_t count = w->out_width * conv->columns;
    ET_CPU_NAME(et_cpu_activate_f32)(&conv->activation, out, count, 1, count);
  }
}
