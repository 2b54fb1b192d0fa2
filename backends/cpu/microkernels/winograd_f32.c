/* Implements winograd_f32.h: Y = A^T ((G w G^T) * (B^T d B)) A, for a range of tiles and columns.
 *
 * load_tile() transforms the pixels of each tile to [position][tile][channels]. For 64 columns at a
 * time, multiply() computes one GEMM per position, with the register tile (tile.h), to
 * [position][tile][64]. store_tiles() transforms the results, and applies the bias, the residual
 * and the activation. Tiles at an edge of the image are first copied with their padding. The
 * workspace limits the number of tiles. */
#include "backends/cpu/microkernels/winograd_f32.h"

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/sums.h"
#include "backends/cpu/microkernels/winograd_tile.h"
#include "runtime/core/arithmetic.h"

#define COLUMNS ET_CPU_WINOGRAD_COLUMNS

/* Workspace for several tiles. */
typedef struct work {
  const et_cpu_winograd *winograd;
  size_t positions;
  size_t tiles;
  float *pixels;   /* [position][tile][channels] */
  float *products; /* [position][tile][COLUMNS] */
  float *edge;     /* [row][column][channels] of one tile at an edge */
} work;

typedef et_cpu_winograd_place place;

static place find_place(const et_cpu_winograd *w, size_t tile) {
  return et_cpu_winograd_place_of(w->out_height, w->out_width, w->side, tile);
}

/* Whether a vector is whole. With AVX-512, masked accesses have no extra cost, so all vectors are
 * treated as partial. */
#if defined(ET_CPU_ISA_AVX512)
#define IS_WHOLE(count) false
#else
#define IS_WHOLE(count) ((count) == ET_CPU_LANES)
#endif

ET_INLINE et_f32 load(const float *from, size_t count, bool whole) {
  return whole ? et_f32_load(from) : et_f32_load_some(from, count);
}

ET_INLINE void store(float *to, et_f32 value, size_t count, bool whole) {
  if (whole) {
    et_f32_store(to, value);
  } else {
    et_f32_store_some(to, value, count);
  }
}

/* A vector of channels of a tile. pixel, row: distance in floats between adjacent pixels of the
 * image. position: distance in floats between positions of the transformed tile. */
typedef struct lane {
  const float *from;
  size_t pixel, row;
  float *to;
  size_t position;
  size_t count; /* channels, at most ET_CPU_LANES */
} lane;

ET_INLINE void transform_lane(const lane *l, int side, bool whole) {
  et_f32 t[ET_WINOGRAD_IN][ET_WINOGRAD_IN]; /* [column][vertical position] */
  ET_UNROLL for (int j = 0; j < side + 2; j++) {
    et_f32 d[ET_WINOGRAD_IN];
    ET_UNROLL for (int i = 0; i < side + 2; i++) {
      d[i] = load(l->from + (size_t)i * l->row + (size_t)j * l->pixel, l->count,
                  whole);
    }
    et_winograd_in(side, d, 1, t[j]);
  }
  ET_UNROLL for (int i = 0; i < side + 2; i++) {
    et_f32 o[ET_WINOGRAD_IN];
    et_winograd_in(side, &t[0][i], ET_WINOGRAD_IN, o);
    ET_UNROLL for (int j = 0; j < side + 2; j++) {
      store(l->to + (size_t)(i * (side + 2) + j) * l->position, o[j], l->count,
            whole);
    }
  }
}

ET_INLINE void transform_tile(lane l, size_t channels, int side) {
  for (; channels > 0; channels -= l.count) {
    l.count = channels < ET_CPU_LANES ? channels : ET_CPU_LANES;
    if (IS_WHOLE(l.count)) {
      transform_lane(&l, side, true);
    } else {
      transform_lane(&l, side, false);
    }
    l.from += l.count;
    l.to += l.count;
  }
}

static void transform_tile_2(const lane *l, size_t channels) {
  transform_tile(*l, channels, 2);
}

static void transform_tile_4(const lane *l, size_t channels) {
  transform_tile(*l, channels, 4);
}

/* Copies a tile at an edge of the image, with zeros outside the image. Negative y and x wrap
 * around. */
static void copy_edge(const work *s, const float *image, size_t y, size_t x) {
  const et_cpu_winograd *w = s->winograd;
  const size_t bytes = w->channels * sizeof(float);
  float *to = s->edge;
  for (size_t i = 0; i < w->side + 2; i++) {
    for (size_t j = 0; j < w->side + 2; j++, to += w->channels) {
      if (y + i < w->height && x + j < w->width) {
        memcpy(to, image + ((y + i) * w->width + x + j) * w->channels, bytes);
      } else {
        memset(to, 0, bytes);
      }
    }
  }
}

static void load_tile(const work *s, size_t tile, place at) {
  const et_cpu_winograd *w = s->winograd;
  const size_t c = w->channels;
  const size_t in = w->side + 2;
  const float *image = w->x + at.image * w->height * w->width * c;
  const size_t y = at.y - w->top;
  const size_t x = at.x - w->left;
  lane l = {.to = s->pixels + tile * c, .position = s->tiles * c, .pixel = c};
  if (y < w->height && x < w->width && y + in <= w->height &&
      x + in <= w->width) {
    l.from = image + (y * w->width + x) * c;
    l.row = w->width * c;
  } else {
    copy_edge(s, image, y, x);
    l.from = s->edge;
    l.row = in * c;
  }
  (w->side == 2 ? transform_tile_2 : transform_tile_4)(&l, c);
}

static size_t whole_panels(size_t columns) {
  return (columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL * ET_CPU_PANEL;
}

/* Multiplies all positions of the tiles by the weights of columns `column` to `end - 1`. next: the
 * weights to prefetch, or NULL. */
static void multiply(const work *s, size_t column, size_t end,
                     const float *next) {
  static const float zeros[COLUMNS] __attribute__((aligned(64)));
  const et_cpu_winograd *w = s->winograd;
  const size_t position = whole_panels(w->columns) * w->channels;
  et_tiles t = {.x = s->pixels,
                .x_stride = w->channels,
                .segments = 1,
                .depth = w->channels,
                .panels = w->panels + column * w->channels,
                .panel_stride = w->channels * ET_CPU_PANEL,
                .start = zeros,
                .out = s->products,
                .out_stride = COLUMNS,
                .activation = &w->activation};
  for (size_t p = 0; p < s->positions; p++) {
    t.next = p + 1 < s->positions ? t.panels + position : next;
    ET_CPU_NAME(et_cpu_tiles)(&t, s->tiles, whole_panels(end - column));
    t.x += s->tiles * w->channels;
    t.panels += position;
    t.out += s->tiles * COLUMNS;
  }
}

/* The outputs of a tile that are inside the image, for a vector of columns. */
typedef struct part {
  const float *from; /* position 0 */
  size_t position;   /* distance between positions, in floats */
  float *out;
  const float *residual;
  et_f32 bias, low, high;
  int rows, columns; /* outputs inside the image */
  size_t pixel, row; /* distances in floats */
  size_t count;      /* valid lanes */
} part;

ET_INLINE void store_result(const part *p, size_t at, et_f32 sum, bool whole) {
  et_f32 value = sum + p->bias;
  if (p->residual != NULL) {
    value += load(p->residual + at, p->count, whole);
  }
  store(p->out + at, et_f32_clamp(value, p->low, p->high), p->count, whole);
}

ET_INLINE void store_part(const part *p, int side, bool whole) {
  et_f32 t[ET_WINOGRAD_IN][ET_WINOGRAD_OUT]; /* [horizontal position][row] */
  ET_UNROLL for (int j = 0; j < side + 2; j++) {
    et_f32 m[ET_WINOGRAD_IN];
    ET_UNROLL for (int i = 0; i < side + 2; i++) {
      m[i] = et_f32_load(p->from + (size_t)(i * (side + 2) + j) * p->position);
    }
    et_winograd_out(side, m, 1, t[j]);
  }
  ET_UNROLL for (int i = 0; i < side; i++) {
    et_f32 o[ET_WINOGRAD_OUT];
    et_winograd_out(side, &t[0][i], ET_WINOGRAD_OUT, o);
    ET_UNROLL for (int j = 0; j < side; j++) {
      if (i < p->rows && j < p->columns) {
        store_result(p, (size_t)i * p->row + (size_t)j * p->pixel, o[j], whole);
      }
    }
  }
}

static void store_part_2(const part *p) {
  if (IS_WHOLE(p->count)) {
    store_part(p, 2, true);
  } else {
    store_part(p, 2, false);
  }
}

static void store_part_4(const part *p) {
  if (IS_WHOLE(p->count)) {
    store_part(p, 4, true);
  } else {
    store_part(p, 4, false);
  }
}

/* Stores columns `column` to `end - 1` of a tile. */
static void store_tile(const work *s, size_t tile, place at, size_t column,
                       size_t end) {
  const et_cpu_winograd *w = s->winograd;
  const size_t first =
      ((at.image * w->out_height + at.y) * w->out_width + at.x) * w->columns;
  part p = {.from = s->products + tile * COLUMNS,
            .position = s->tiles * COLUMNS,
            .low = et_f32_all(et_cpu_clamp_low(&w->activation)),
            .high = et_f32_all(et_cpu_clamp_high(&w->activation)),
            .rows = (int)et_min_size(w->side, w->out_height - at.y),
            .columns = (int)et_min_size(w->side, w->out_width - at.x),
            .pixel = w->columns,
            .row = w->out_width * w->columns};
  for (size_t c = column; c < end; c += ET_CPU_LANES, p.from += ET_CPU_LANES) {
    p.out = w->out + first + c;
    p.residual = w->residual == NULL ? NULL : w->residual + first + c;
    p.bias = et_f32_load(w->bias + c);
    p.count = et_min_size(ET_CPU_LANES, end - c);
    (w->side == 2 ? store_part_2 : store_part_4)(&p);
  }
}

/* Applies an activation other than a clamp to columns `column` to `end - 1`. */
static void activate_tile(const et_cpu_winograd *w, place at, size_t column,
                          size_t end) {
  const size_t rows = et_min_size(w->side, w->out_height - at.y);
  const size_t pixels = et_min_size(w->side, w->out_width - at.x);
  const size_t stride = w->out_width * w->columns;
  float *out = w->out + (at.image * w->out_height + at.y) * stride +
               at.x * w->columns + column;
  for (size_t i = 0; i < rows; i++, out += stride) {
    ET_CPU_NAME(et_cpu_activate_f32)
    (&w->activation, out, w->columns, pixels, end - column);
  }
}

static void store_tiles(const work *s, size_t first, size_t column,
                        size_t end) {
  const et_cpu_winograd *w = s->winograd;
  for (size_t i = 0; i < s->tiles; i++) {
    const place at = find_place(w, first + i);
    store_tile(s, i, at, column, end);
    if (et_cpu_is_curve(&w->activation)) {
      activate_tile(w, at, column, end);
    }
  }
}

void ET_CPU_NAME(et_cpu_winograd_f32)(const et_cpu_winograd *winograd,
                                      const et_cpu_winograd_part *part,
                                      float *workspace) {
  const et_cpu_winograd *w = winograd;
  work s = {.winograd = w,
            .positions = et_cpu_winograd_positions(w->side),
            .tiles = part->tiles,
            .pixels = workspace};
  s.products = s.pixels + s.positions * s.tiles * w->channels;
  s.edge = s.products + s.positions * s.tiles * COLUMNS;
  for (size_t i = 0; i < s.tiles; i++) {
    load_tile(&s, i, find_place(w, part->first_tile + i));
  }
  for (size_t c = part->first_column; c < part->end_column; c += COLUMNS) {
    const size_t end = et_min_size(c + COLUMNS, part->end_column);
    multiply(&s, c, end,
             end < part->end_column ? w->panels + end * w->channels : NULL);
    store_tiles(&s, part->first_tile, c, end);
  }
}
