/* Implements winograd_qs8.h: F(4 x 4, 3 x 3) in integers, for a range of tiles.
 *
 * load_tile() transforms the pixels of each tile to int16, [position][tile][channels]. For 64
 * columns at a time, multiply() computes one GEMM per position, to int32, [position][tile][64]. Its
 * register tile is ROWS rows by PANELS panels, [channel pair][16][2]. store_tile() transforms the
 * results to exact accumulators and requantizes them. The workspace limits the number of tiles. The
 * GEMMs are the bottleneck; with few columns, the transform is. */
#include "backends/cpu/microkernels/winograd_qs8.h"

#include "backends/cpu/microkernels/requantize.h"
#include "backends/cpu/microkernels/tile_even.h"
#include "backends/cpu/microkernels/winograd_tile_qs8.h"
#include "runtime/core/arithmetic.h"

#define COLUMNS ET_CPU_WINOGRAD_COLUMNS
#define SIDE ET_CPU_WINOGRAD_QS8_SIDE
#define ACROSS ET_WINOGRAD_IN_I8
#define POSITIONS (ACROSS * ACROSS)
#define PAIRS_LANES (2 * ET_CPU_LANES)

_Static_assert(ET_CPU_WINOGRAD_QS8_CHANNEL_STEP % PAIRS_LANES == 0,
               "channels fill whole vectors");
_Static_assert(ET_CPU_WINOGRAD_QS8_MAX_CHANNELS * 9 * 128 * 128 < 1 << 25,
               "the division recovers accumulators");

/* Number of panels of a tile. */
#if defined(ET_CPU_ISA_AVX512)
#define PANELS 4
#else
#define PANELS 1
#endif

/* Maximum number of rows of a tile; even. */
#if defined(ET_CPU_ISA_PLAIN) || defined(ET_CPU_ISA_WASM_SIMD128)
#define ROWS 2
#else
#define ROWS 6
#endif

/* Workspace for several tiles. */
typedef struct work {
  const et_cpu_winograd_qs8 *winograd;
  size_t tiles;
  int16_t *pixels;   /* [position][tile][channels] */
  int32_t *products; /* [position][tile][COLUMNS] */
  uint8_t flip;      /* XORed with pixels to make them signed */
  et_rounder rounder;
  et_requantizer requantizers[COLUMNS / ET_CPU_PANEL];
  uint8_t beyond[ET_CPU_WINOGRAD_QS8_MAX_CHANNELS]; /* zero points */
} work;

static et_cpu_winograd_place find_place(const work *s, size_t tile) {
  const et_cpu_window *w = &s->winograd->window;
  return et_cpu_winograd_place_of(w->out_height, w->out_width, SIDE, tile);
}

/* Lists the addresses of the pixels of a tile. */
static void find_pixels(const work *s, et_cpu_winograd_place at,
                        const uint8_t *pixels[POSITIONS]) {
  const et_cpu_winograd_qs8 *c = s->winograd;
  const et_cpu_window *w = &c->window;
  const uint8_t *image =
      c->x.data + at.image * w->height * w->width * c->channels;
  for (size_t i = 0; i < ACROSS; i++) {
    for (size_t j = 0; j < ACROSS; j++) {
      const size_t y = at.y + i - w->top; /* wraps if negative */
      const size_t x = at.x + j - w->left;
      *pixels++ = y < w->height && x < w->width
                      ? image + (y * w->width + x) * c->channels
                      : s->beyond;
    }
  }
}

/* Transforms the vector of channels that starts at `channel`. */
ET_INLINE void transform_channels(const work *s, const uint8_t *const *pixels,
                                  size_t channel, int16_t *to) {
  const size_t position = s->tiles * s->winograd->channels;
  et_i16 t[ACROSS][ACROSS]; /* [column][vertical position] */
  ET_UNROLL for (int j = 0; j < ACROSS; j++) {
    et_i16 d[ACROSS];
    ET_UNROLL for (int i = 0; i < ACROSS; i++) {
      d[i] = et_i16_of_int8(pixels[i * ACROSS + j] + channel, s->flip);
    }
    et_winograd_in_i8(d, 1, t[j]);
  }
  ET_UNROLL for (int i = 0; i < ACROSS; i++) {
    et_i16 o[ACROSS];
    et_winograd_in_i8(&t[0][i], ACROSS, o);
    ET_UNROLL for (int j = 0; j < ACROSS; j++) {
      memcpy(to + (size_t)(i * ACROSS + j) * position, &o[j], sizeof(o[j]));
    }
  }
}

static void load_tile(const work *s, size_t tile, et_cpu_winograd_place at) {
  const size_t channels = s->winograd->channels;
  const uint8_t *pixels[POSITIONS];
  find_pixels(s, at, pixels);
  for (size_t c = 0; c < channels; c += PAIRS_LANES) {
    transform_channels(s, pixels, c, s->pixels + tile * channels + c);
  }
}

/* GEMM of one position. */
typedef struct gemm {
  const int16_t *x; /* [row][channels] */
  const int16_t *panels;
  size_t pairs;
  int32_t *out; /* [row][COLUMNS] */
} gemm;

/* Returns vector `v` of channel pair `k` of the panels. */
ET_INLINE et_i16 weights_at(const gemm *p, size_t k, int v) {
  et_i16 w;
  memcpy(
      &w,
      p->panels +
          ((size_t)(v / ET_PANEL_VECTORS) * p->pairs + k) * 2 * ET_CPU_PANEL +
          v % ET_PANEL_VECTORS * PAIRS_LANES,
      sizeof(w));
  return w;
}

/* Multiplies `rows` rows, starting at `row`, by `panels` panels. Both are compile-time
 * constants. */
ET_INLINE void multiply_tile(const gemm *p, size_t row, int rows, int panels) {
  const int vectors = panels * ET_PANEL_VECTORS;
  const int16_t *at[ROWS];
  et_i32 sums[ROWS][PANELS * ET_PANEL_VECTORS];
  ET_UNROLL for (int r = 0; r < rows; r++) {
    at[r] = p->x + (row + (size_t)r) * 2 * p->pairs;
    ET_UNROLL for (int v = 0; v < vectors; v++) { sums[r][v] = et_i32_all(0); }
  }
  for (size_t k = 0; k < p->pairs; k++) {
    et_i16 w[PANELS * ET_PANEL_VECTORS];
    ET_PIN_INDEX(k);
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      w[v] = weights_at(p, k, v);
      ET_PIN(w[v]);
    }
    ET_UNROLL for (int r = 0; r < rows; r++) {
      int32_t word;
      memcpy(&word, at[r] + 2 * k, sizeof(word));
      et_i16 pair = (et_i16)et_i32_all(word);
      ET_PIN(pair); /* loads each pair once */
      ET_UNROLL for (int v = 0; v < vectors; v++) {
        sums[r][v] = et_i32_dot2(sums[r][v], pair, w[v]);
        ET_PIN(sums[r][v]);
      }
    }
  }
  ET_UNROLL for (int r = 0; r < rows; r++) {
    int32_t *out = p->out + (row + (size_t)r) * COLUMNS;
    ET_UNROLL for (int v = 0; v < vectors; v++) {
      et_i32_store(out + v * ET_CPU_LANES, sums[r][v]);
    }
  }
}

#define DEFINE_TILE(rows, panels)                                     \
  static void multiply_##rows##_##panels(const void *p, size_t row) { \
    multiply_tile(p, row, rows, panels);                              \
  }
#define TILE_ENTRY(rows, panels) [rows] = multiply_##rows##_##panels,

#if ROWS == 2
#define TILE_LIST(X, panels) X(1, panels) X(2, panels)
#else
#define TILE_LIST(X, panels) X(1, panels) X(2, panels) X(4, panels) X(6, panels)
#endif

TILE_LIST(DEFINE_TILE, 1)
static et_tile_function *const functions_of_1[] = {TILE_LIST(TILE_ENTRY, 1)};
#if PANELS == 4
TILE_LIST(DEFINE_TILE, 4)
static et_tile_function *const functions_of_4[] = {TILE_LIST(TILE_ENTRY, 4)};
#endif

/* Multiplies one position of all tiles by the weights of several panels. */
static void multiply_panels(gemm p, size_t rows, size_t panels) {
  while (panels > 0) {
    size_t done = 1;
#if PANELS == 4
    done = panels < PANELS ? 1 : PANELS;
    et_run_even_tiles(&p, rows, ROWS,
                      done == 1 ? functions_of_1 : functions_of_4);
#else
    et_run_even_tiles(&p, rows, ROWS, functions_of_1);
#endif
    p.panels += done * p.pairs * 2 * ET_CPU_PANEL;
    p.out += done * ET_CPU_PANEL;
    panels -= done;
  }
}

/* Multiplies all positions of the tiles by the weights of `count` columns, starting at `column`. */
static void multiply(const work *s, size_t column, size_t count) {
  const et_cpu_winograd_qs8 *c = s->winograd;
  gemm p = {.x = s->pixels,
            .panels = c->panels + column * c->channels,
            .pairs = c->channels / 2,
            .out = s->products};
  for (size_t i = 0; i < POSITIONS; i++) {
    multiply_panels(p, s->tiles, count / ET_CPU_PANEL);
    p.x += s->tiles * c->channels;
    p.panels += c->columns * c->channels;
    p.out += s->tiles * COLUMNS;
  }
}

/* Computes the accumulators of a tile, for a vector of columns. */
ET_INLINE void transform_columns(const int32_t *from, size_t position,
                                 int32_t *sums) {
  et_u32 t[ACROSS][SIDE]; /* [horizontal position][row] */
  ET_UNROLL for (int j = 0; j < ACROSS; j++) {
    et_u32 m[ACROSS];
    ET_UNROLL for (int i = 0; i < ACROSS; i++) {
      m[i] = (et_u32)et_i32_load(from + (size_t)(i * ACROSS + j) * position);
    }
    et_winograd_out_i8(m, 1, t[j]);
  }
  ET_UNROLL for (int i = 0; i < SIDE; i++) {
    et_u32 o[SIDE];
    et_winograd_out_i8(&t[0][i], SIDE, o);
    ET_UNROLL for (int j = 0; j < SIDE; j++) {
      et_i32_store(sums + (i * SIDE + j) * ET_CPU_PANEL,
                   et_winograd_sum_i8(o[j], i, j));
    }
  }
}

/* Requantizes ET_ROUNDED_PANELS pixels of a panel. */
ET_INLINE et_u8 bytes_of(const et_rounder *rounder, const et_requantizer *r,
                         const int32_t *sums) {
  et_f32 steps[ET_ROUNDED];
  ET_UNROLL for (int v = 0; v < ET_ROUNDED; v++) {
    const int at = v % ET_PANEL_VECTORS;
    const et_i32 sum =
        et_i32_add(et_i32_load(sums + v * ET_CPU_LANES), r->start[at]);
    steps[v] = et_steps_of(sum, r->scale[at], r->bias[at]);
  }
  return et_u8_in_order(et_rounded(rounder, steps, r->is_far));
}

/* Requantizes the outputs of a panel that are inside the image, and stores them at `out`. */
static void put_panel(const work *s, const et_requantizer *r,
                      et_cpu_winograd_place at, const int32_t *sums,
                      uint8_t *out) {
  const et_cpu_winograd_qs8 *c = s->winograd;
  const size_t rows = et_min_size(SIDE, c->window.out_height - at.y);
  const size_t pixels = et_min_size(SIDE, c->window.out_width - at.x);
  for (size_t i = 0; i < rows; i++, sums += SIDE * ET_CPU_PANEL) {
    uint8_t *to = out + i * c->window.out_width * c->columns;
    for (size_t j = 0; j < pixels; j += ET_ROUNDED_PANELS) {
      const et_u8 bytes = bytes_of(&s->rounder, r, sums + j * ET_CPU_PANEL);
      ET_UNROLL for (int p = 0; p < ET_ROUNDED_PANELS; p++) {
        if (j + (size_t)p < pixels) {
          et_u8_store_part(to + (j + (size_t)p) * c->columns, bytes, p,
                           ET_ROUNDED_PANELS);
        }
      }
    }
  }
}

static void store_tile(const work *s, size_t tile, et_cpu_winograd_place at,
                       size_t column, size_t count) {
  const et_cpu_winograd_qs8 *c = s->winograd;
  const et_cpu_window *w = &c->window;
  uint8_t *out =
      c->out +
      ((at.image * w->out_height + at.y) * w->out_width + at.x) * c->columns +
      column;
  for (size_t n = 0; n < count; n += ET_CPU_PANEL) {
    int32_t sums[SIDE * SIDE * ET_CPU_PANEL] __attribute__((aligned(64)));
    ET_UNROLL for (int v = 0; v < ET_PANEL_VECTORS; v++) {
      transform_columns(s->products + tile * COLUMNS + n + v * ET_CPU_LANES,
                        s->tiles * COLUMNS, sums + v * ET_CPU_LANES);
    }
    put_panel(s, &s->requantizers[n / ET_CPU_PANEL], at, sums, out + n);
  }
}

static void run_columns(work *s, size_t first_tile, size_t column,
                        size_t count) {
  const et_cpu_winograd_qs8 *c = s->winograd;
  const int32_t zero_point = c->x.zero_point - (c->x.is_signed ? 0 : 128);
  for (size_t n = 0; n < count; n += ET_CPU_PANEL) {
    s->requantizers[n / ET_CPU_PANEL] = et_requantizer_of(
        &c->of_columns, &c->output_quantization, zero_point, column + n);
  }
  multiply(s, column, count);
  for (size_t i = 0; i < s->tiles; i++) {
    store_tile(s, i, find_place(s, first_tile + i), column, count);
  }
}

void ET_CPU_NAME(et_cpu_winograd_qs8)(const et_cpu_winograd_qs8 *winograd,
                                      size_t first_tile, size_t tiles,
                                      void *workspace) {
  work s = {.winograd = winograd,
            .tiles = tiles,
            .pixels = workspace,
            .flip = winograd->x.is_signed ? 0 : 128,
            .rounder = et_rounder_of(&winograd->output_quantization)};
  s.products =
      (int32_t *)workspace + POSITIONS * tiles * winograd->channels / 2;
  memset(s.beyond, (uint8_t)winograd->x.zero_point, sizeof(s.beyond));
  for (size_t i = 0; i < tiles; i++) {
    load_tile(&s, i, find_place(&s, first_tile + i));
  }
  for (size_t n = 0; n < winograd->columns; n += COLUMNS) {
    run_columns(&s, first_tile, n, et_min_size(COLUMNS, winograd->columns - n));
  }
}
