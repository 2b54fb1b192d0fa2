#include "backends/cpu/simd/winograd.h"

#include "backends/cpu/simd/activate.h"
#include "backends/cpu/simd/sums.h"

#define SIDE ET_CPU_WINOGRAD_SIDE
#define OUT ET_CPU_WINOGRAD_OUT
#define POSITIONS ET_CPU_WINOGRAD_POSITIONS

/* The workspace of some tiles. */
typedef struct work {
  const et_cpu_winograd *winograd;
  size_t tiles;
  float *pixels;   /* [position][tile][channels] */
  float *products; /* [position][tile][16] */
  float *edge;     /* [row][column][channels] of a tile that leaves the image */
} work;

/* Where a tile lies. */
typedef struct place {
  size_t image;
  size_t y, x; /* of its results */
} place;

static place find_place(const et_cpu_winograd *w, size_t tile) {
  const size_t across = et_cpu_winograd_tiles(w->out_width);
  const size_t down = et_cpu_winograd_tiles(w->out_height);
  const place at = {tile / across / down, tile / across % down * OUT,
                    tile % across * OUT};
  return at;
}

/* One row or column of B^T d: to its six positions from six pixels. */
ET_INLINE void transform_in(const et_f32 *d, size_t step, et_f32 *out) {
  const et_f32 four = et_f32_all(4.0f);
  const et_f32 two = et_f32_all(2.0f);
  const et_f32 minus_five = et_f32_all(-5.0f);
  const et_f32 a = d[0], b = d[step], c = d[2 * step];
  const et_f32 e = d[3 * step], f = d[4 * step], g = d[5 * step];
  const et_f32 p = et_f32_fma(-four, c, f);
  const et_f32 q = et_f32_fma(-four, b, e);
  const et_f32 r = f - c;
  const et_f32 s = e - b;
  out[0] = et_f32_fma(four, a, et_f32_fma(minus_five, c, f));
  out[1] = p + q;
  out[2] = p - q;
  out[3] = et_f32_fma(two, s, r);
  out[4] = et_f32_fma(-two, s, r);
  out[5] = et_f32_fma(four, b, et_f32_fma(minus_five, e, g));
}

/* One row or column of A^T m: to four results from six positions. */
ET_INLINE void transform_out(const et_f32 *m, size_t step, et_f32 *out) {
  const et_f32 p = m[step] + m[2 * step];
  const et_f32 q = m[step] - m[2 * step];
  const et_f32 r = m[3 * step] + m[4 * step];
  const et_f32 s = m[3 * step] - m[4 * step];
  out[0] = m[0] + p + r;
  out[1] = et_f32_fma(et_f32_all(2.0f), s, q);
  out[2] = et_f32_fma(et_f32_all(4.0f), r, p);
  out[3] = et_f32_fma(et_f32_all(8.0f), s, q) + m[5 * step];
}

/* Pixels of a tile, `pixel` floats apart along a row and `row` between rows, to
 * its positions, which are `position` floats apart. */
ET_INLINE void transform_lane(const float *from, size_t pixel, size_t row,
                              float *to, size_t position, size_t count,
                              bool whole) {
  et_f32 t[SIDE][SIDE]; /* [column][position down] */
  ET_UNROLL for (int j = 0; j < SIDE; j++) {
    et_f32 d[SIDE];
    ET_UNROLL for (int i = 0; i < SIDE; i++) {
      const float *at = from + (size_t)i * row + (size_t)j * pixel;
      d[i] = whole ? et_f32_load(at) : et_f32_load_some(at, count);
    }
    transform_in(d, 1, t[j]);
  }
  ET_UNROLL for (int i = 0; i < SIDE; i++) {
    et_f32 o[SIDE];
    transform_in(&t[0][i], SIDE, o);
    ET_UNROLL for (int j = 0; j < SIDE; j++) {
      float *at = to + (size_t)(i * SIDE + j) * position;
      if (whole) {
        et_f32_store(at, o[j]);
      } else {
        et_f32_store_some(at, o[j], count);
      }
    }
  }
}

static void transform_tile(const float *from, size_t pixel, size_t row,
                           size_t channels, float *to, size_t position) {
  size_t c = 0;
  for (; c + ET_CPU_LANES <= channels; c += ET_CPU_LANES) {
    transform_lane(from + c, pixel, row, to + c, position, ET_CPU_LANES, true);
  }
  if (c < channels) {
    transform_lane(from + c, pixel, row, to + c, position, channels - c, false);
  }
}

/* Copies a tile that leaves the image, with zeros outside; y and x wrap before
 * it. */
static void copy_edge(const work *s, const float *image, size_t y, size_t x) {
  const et_cpu_winograd *w = s->winograd;
  const size_t bytes = w->channels * sizeof(float);
  float *to = s->edge;
  for (size_t i = 0; i < SIDE; i++) {
    for (size_t j = 0; j < SIDE; j++, to += w->channels) {
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
  const float *image = w->x + at.image * w->height * w->width * c;
  const size_t y = at.y - w->top;
  const size_t x = at.x - w->left;
  float *to = s->pixels + tile * c;
  if (y < w->height && x < w->width && y + SIDE <= w->height &&
      x + SIDE <= w->width) {
    transform_tile(image + (y * w->width + x) * c, c, w->width * c, c, to,
                   s->tiles * c);
  } else {
    copy_edge(s, image, y, x);
    transform_tile(s->edge, c, SIDE * c, c, to, s->tiles * c);
  }
}

/* All positions of the tiles times one panel. */
static void multiply(const work *s, size_t panel) {
  static const float zeros[ET_PANEL] __attribute__((aligned(64)));
  const et_cpu_winograd *w = s->winograd;
  const size_t panels = (w->columns + ET_PANEL - 1) / ET_PANEL;
  const size_t panel_size = w->channels * ET_PANEL;
  et_tiles t = {.x = s->pixels,
                .x_stride = w->channels,
                .segments = 1,
                .depth = w->channels,
                .panels = w->panels + panel * panel_size,
                .panel_stride = panel_size,
                .start = zeros,
                .out = s->products,
                .out_stride = ET_PANEL,
                .activation = &w->activation};
  for (size_t p = 0; p < POSITIONS; p++) {
    ET_CPU_NAME(et_cpu_tiles)(&t, s->tiles, ET_PANEL);
    t.x += s->tiles * w->channels;
    t.panels += panels * panel_size;
    t.out += s->tiles * ET_PANEL;
  }
}

/* The part of a tile's results that lies in the output: of one vector of a
 * panel's columns. */
typedef struct part {
  float *out;
  const float *residual;
  et_f32 bias;
  size_t rows, columns; /* at most OUT */
  size_t pixel, row;    /* floats from one to the next */
  size_t count;         /* columns of results, at most ET_CPU_LANES */
} part;

static void store_result(const et_cpu_winograd *w, const part *p, size_t at,
                         et_f32 sum) {
  et_f32 value = sum + p->bias;
  if (p->residual != NULL) {
    value += et_f32_load_some(p->residual + at, p->count);
  }
  value = et_f32_clamp(value, et_f32_all(et_cpu_clamp_low(&w->activation)),
                       et_f32_all(et_cpu_clamp_high(&w->activation)));
  et_f32_store_some(p->out + at, value, p->count);
}

/* `from` is position 0 of the tile's products, `position` floats apart. */
static void store_part(const et_cpu_winograd *w, const part *p,
                       const float *from, size_t position) {
  et_f32 t[SIDE][OUT]; /* [position across][row] */
  ET_UNROLL for (int j = 0; j < SIDE; j++) {
    et_f32 m[SIDE];
    ET_UNROLL for (int i = 0; i < SIDE; i++) {
      m[i] = et_f32_load(from + (size_t)(i * SIDE + j) * position);
    }
    transform_out(m, 1, t[j]);
  }
  for (size_t i = 0; i < p->rows; i++) {
    et_f32 o[OUT];
    transform_out(&t[0][i], OUT, o);
    for (size_t j = 0; j < p->columns; j++) {
      store_result(w, p, i * p->row + j * p->pixel, o[j]);
    }
  }
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

static void store_tile(const work *s, size_t tile, place at, size_t panel) {
  const et_cpu_winograd *w = s->winograd;
  const size_t first =
      ((at.image * w->out_height + at.y) * w->out_width + at.x) * w->columns;
  part p = {.rows = smaller(OUT, w->out_height - at.y),
            .columns = smaller(OUT, w->out_width - at.x),
            .pixel = w->columns,
            .row = w->out_width * w->columns};
  const size_t end = smaller(w->columns, (panel + 1) * ET_PANEL);
  for (size_t c = panel * ET_PANEL; c < end; c += ET_CPU_LANES) {
    p.out = w->out + first + c;
    p.residual = w->residual == NULL ? NULL : w->residual + first + c;
    p.bias = et_f32_load(w->bias + c);
    p.count = smaller(ET_CPU_LANES, end - c);
    store_part(w, &p, s->products + tile * ET_PANEL + c % ET_PANEL,
               s->tiles * ET_PANEL);
  }
}

/* What clamping leaves to do, once all panels are stored. */
static void bend_tile(const et_cpu_winograd *w, place at) {
  const size_t rows = smaller(OUT, w->out_height - at.y);
  const size_t count = smaller(OUT, w->out_width - at.x) * w->columns;
  const size_t stride = w->out_width * w->columns;
  const size_t first =
      (at.image * w->out_height + at.y) * stride + at.x * w->columns;
  ET_CPU_NAME(et_cpu_activate_f32)
  (&w->activation, w->out + first, stride, rows, count);
}

void ET_CPU_NAME(et_cpu_winograd_f32)(const et_cpu_winograd *winograd,
                                      size_t first, size_t tiles,
                                      float *workspace) {
  const size_t channels = winograd->channels;
  work s = {.winograd = winograd, .tiles = tiles, .pixels = workspace};
  s.products = s.pixels + POSITIONS * tiles * channels;
  s.edge = s.products + POSITIONS * tiles * ET_PANEL;
  for (size_t i = 0; i < tiles; i++) {
    load_tile(&s, i, find_place(winograd, first + i));
  }
  for (size_t panel = 0; panel * ET_PANEL < winograd->columns; panel++) {
    multiply(&s, panel);
    for (size_t i = 0; i < tiles; i++) {
      store_tile(&s, i, find_place(winograd, first + i), panel);
    }
  }
  for (size_t i = 0; i < tiles && et_cpu_is_curve(&winograd->activation); i++) {
    bend_tile(winograd, find_place(winograd, first + i));
  }
}
