/* Indirect GEMM of the float32 convolutions (conv_f32.h).
 *
 *   y[p, n] = sum over taps t and channels c of x[pixel(p, t), c] * w[t, c, n]
 *
 * A table, [tile][segment][ET_TILE_ROWS], has the address of each tap (segment) of each output
 * pixel (row), in the order in which the register tile (tile.h) reads them. Taps in the padding
 * point to zeros. K is split into parts of whole taps, at most ET_GATHER_TAPS, or of some channels
 * of one tap. Between two parts, y holds the accumulators. */
#ifndef BACKENDS_CPU_MICROKERNELS_GATHER_H_
#define BACKENDS_CPU_MICROKERNELS_GATHER_H_

#include "backends/cpu/microkernels/conv_f32.h"
#include "backends/cpu/microkernels/tile.h"

/* Maximum number of taps in a table. */
#define ET_GATHER_TAPS 16

/* Elements that taps in the padding point to. */
static const float et_gather_zeros[ET_TILE_DEPTH] __attribute__((aligned(64)));

/* Position of tap 0 for an output pixel. Negative coordinates wrap around (size_t). */
typedef struct et_origin {
  const float *image;
  size_t y, x;
} et_origin;

/* A part of K that is accumulated in one pass: whole taps, or some channels of one tap. */
typedef struct et_gather_block {
  size_t tap, taps;
  size_t channel, channels;
} et_gather_block;

typedef struct et_gather {
  const et_cpu_conv *conv;
  size_t first_channel; /* first channel of the group */
  size_t pixels;
  et_origin origins[ET_CPU_CONV_PIXELS];
  const float
      *table[ET_MAX_TILES(ET_CPU_CONV_PIXELS) * ET_TILE_ROWS * ET_GATHER_TAPS];
} et_gather;

ET_INLINE void et_find_origins(et_gather *g, size_t first, size_t count) {
  const et_cpu_conv *c = g->conv;
  const et_cpu_window *w = &c->window;
  size_t x = first % w->out_width;
  size_t y = first / w->out_width % w->out_height;
  size_t image = first / w->out_width / w->out_height;
  for (size_t i = 0; i < count; i++) {
    const et_origin at = {c->x + image * w->height * w->width * c->channels,
                          y * w->stride_y - w->top, x * w->stride_x - w->left};
    g->origins[i] = at;
    x = x + 1 == w->out_width ? 0 : x + 1;
    y = x > 0 ? y : y + 1 == w->out_height ? 0 : y + 1;
    image += x == 0 && y == 0 ? 1 : 0;
  }
}

ET_INLINE const float *et_tap_pixel(const et_gather *g, const et_origin *at,
                                    size_t tap, size_t channel) {
  const et_cpu_conv *c = g->conv;
  const et_cpu_window *w = &c->window;
  const size_t y = at->y + tap / w->kernel_x * w->dilation_y;
  const size_t x = at->x + tap % w->kernel_x * w->dilation_x;
  return y < w->height && x < w->width
             ? at->image + (y * w->width + x) * c->channels + channel
             : et_gather_zeros;
}

/* Lists the address of each row of each tile for each tap of the block. */
ET_INLINE void et_fill_table(et_gather *g, const et_gather_block *b) {
  const float **entry = g->table;
  const et_origin *first = g->origins;
  const et_origin *const end = first + g->pixels;
  while (first < end) {
    const size_t rows = et_tile_height((size_t)(end - first));
    for (size_t tap = 0; tap < b->taps; tap++, entry += ET_TILE_ROWS) {
      for (size_t r = 0; r < rows; r++) {
        entry[r] = et_tap_pixel(g, first + r, b->tap + tap,
                                g->first_channel + b->channel);
      }
    }
    first += rows;
  }
}

ET_INLINE size_t et_gather_smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Returns the block that starts at a given tap and channel and has at most `max` terms. If a tap
 * has more channels, they are divided evenly. */
ET_INLINE et_gather_block et_next_block(size_t tap, size_t channel, size_t taps,
                                        size_t channels, size_t max) {
  if (channels > max) {
    const size_t parts = (channels + max - 1) / max;
    const size_t part = (channels + parts - 1) / parts;
    return (et_gather_block){tap, 1, channel,
                             et_gather_smaller(part, channels - channel)};
  }
  const size_t fit = channels == 0 ? ET_GATHER_TAPS : max / channels;
  const size_t count = et_gather_smaller(fit, ET_GATHER_TAPS);
  return (et_gather_block){tap, et_gather_smaller(count, taps - tap), 0,
                           channels};
}

/* Returns the tiles for the pixels and columns of `at`, without weights. depth: length of K. */
ET_INLINE et_tiles et_gather_tiles(const et_cpu_conv *c,
                                   const et_cpu_pixels *at, size_t depth) {
  const size_t group_columns = c->columns / c->groups;
  const size_t padded =
      (group_columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL * ET_CPU_PANEL;
  const size_t column = at->group * padded + at->first_column;
  const size_t first = at->group * group_columns + at->first_column;
  const et_tiles tiles = {
      .panel_stride = depth * ET_CPU_PANEL,
      .start = c->bias + column,
      .out = at->out + first,
      .out_stride = c->columns,
      .residual = at->residual == NULL ? NULL : at->residual + first,
      .residual_stride = c->columns,
      .activation = &c->activation,
  };
  return tiles;
}

/* Returns the index of the first weight for the columns of `at`. */
ET_INLINE size_t et_first_weight(const et_cpu_conv *c, const et_cpu_pixels *at,
                                 size_t depth) {
  const size_t group_columns = c->columns / c->groups;
  const size_t panels = (group_columns + ET_CPU_PANEL - 1) / ET_CPU_PANEL;
  return (at->group * panels * ET_CPU_PANEL + at->first_column) * depth;
}

/* Accumulates the part of K that starts at term `first` into the outputs of `tiles`. */
typedef void et_add_part(const void *weights, et_tiles *tiles, size_t first,
                         const et_cpu_pixels *pixels);

/* Splits K into parts of at most `max` terms and calls `add` for each, with the part's table of
 * row pointers. */
ET_INLINE void et_convolve(const et_cpu_conv *conv, const et_cpu_pixels *pixels,
                           size_t max, et_add_part *add, const void *weights) {
  const size_t channels = conv->channels / conv->groups;
  /* With 0 channels, weights are empty and do not limit the number of taps, so one tap is used. */
  const size_t taps =
      channels == 0 ? 1 : conv->window.kernel_y * conv->window.kernel_x;
  et_gather g;
  g.conv = conv;
  g.first_channel = pixels->group * channels;
  g.pixels = pixels->pixels;
  et_find_origins(&g, pixels->first_pixel, pixels->pixels);
  et_tiles tiles = et_gather_tiles(conv, pixels, taps * channels);
  tiles.table = g.table;
  size_t tap = 0;
  size_t channel = 0;
  do {
    const et_gather_block b = et_next_block(tap, channel, taps, channels, max);
    const int ends_tap = b.channel + b.channels == channels;
    const size_t first = tap * channels + channel;
    channel = ends_tap ? 0 : b.channel + b.channels;
    tap += ends_tap ? b.taps : 0;
    et_fill_table(&g, &b);
    tiles.segments = b.taps;
    tiles.depth = b.channels;
    tiles.last = tap == taps;
    add(weights, &tiles, first, pixels);
    tiles.start = NULL;
  } while (tap < taps);
}

#endif /* BACKENDS_CPU_MICROKERNELS_GATHER_H_ */
