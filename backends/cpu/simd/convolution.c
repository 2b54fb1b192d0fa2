#include "backends/cpu/simd/convolution.h"

#include "backends/cpu/simd/tile.h"

/* Taps that one table lists. */
#define MAX_TAPS 16

/* What taps beyond the edges read. */
static const float zeros[ET_TILE_DEPTH] __attribute__((aligned(64)));

/* Where the window of one output pixel begins; before the image, it wraps. */
typedef struct origin {
  const float *image;
  size_t y, x;
} origin;

/* The part of all summands that is added in one go: some taps whole, or some
 * channels of one tap. */
typedef struct block {
  size_t tap, taps;
  size_t channel, channels;
} block;

typedef struct gather {
  const et_cpu_convolution *conv;
  size_t first_channel; /* of the group */
  et_tile_split split;
  origin origins[ET_CPU_CONVOLUTION_PIXELS];
  const float *table[ET_CPU_CONVOLUTION_PIXELS * MAX_TAPS];
} gather;

static void find_origins(gather *g, size_t first, size_t count) {
  const et_cpu_convolution *c = g->conv;
  const et_cpu_window *w = &c->window;
  size_t x = first % w->out_width;
  size_t y = first / w->out_width % w->out_height;
  size_t image = first / w->out_width / w->out_height;
  for (size_t i = 0; i < count; i++) {
    const origin at = {c->x + image * w->height * w->width * c->channels,
                       y * w->stride_y - w->top, x * w->stride_x - w->left};
    g->origins[i] = at;
    x = x + 1 == w->out_width ? 0 : x + 1;
    y = x > 0 ? y : y + 1 == w->out_height ? 0 : y + 1;
    image += x == 0 && y == 0 ? 1 : 0;
  }
}

static const float *tap_pixel(const gather *g, const origin *at, size_t tap,
                              size_t channel) {
  const et_cpu_convolution *c = g->conv;
  const et_cpu_window *w = &c->window;
  const size_t y = at->y + tap / w->kernel_x * w->dilation_y;
  const size_t x = at->x + tap % w->kernel_x * w->dilation_x;
  return y < w->height && x < w->width
             ? at->image + (y * w->width + x) * c->channels + channel
             : zeros;
}

/* Lists where each row of each tile begins in each tap of the block. */
static void fill_table(gather *g, const block *b) {
  const float **entry = g->table;
  const origin *first = g->origins;
  for (size_t tile = 0; tile < g->split.tiles; tile++) {
    const size_t rows = g->split.height + (tile < g->split.taller ? 1 : 0);
    for (size_t tap = 0; tap < b->taps; tap++, entry += ET_TILE_ROWS) {
      for (size_t r = 0; r < rows; r++) {
        entry[r] = tap_pixel(g, first + r, b->tap + tap,
                             g->first_channel + b->channel);
      }
    }
    first += rows;
  }
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* The block that begins at a tap and a channel. */
static block next_block(size_t tap, size_t channel, size_t taps,
                        size_t channels) {
  if (channels > ET_TILE_DEPTH) {
    const size_t part = et_tile_depth(channels);
    return (block){tap, 1, channel, smaller(part, channels - channel)};
  }
  const size_t most = channels == 0 ? MAX_TAPS : ET_TILE_DEPTH / channels;
  return (block){tap, smaller(smaller(most, MAX_TAPS), taps - tap), 0,
                 channels};
}

static et_tiles whole_tiles(const et_cpu_convolution *c,
                            const et_cpu_pixels *at, size_t depth) {
  const size_t group_columns = c->columns / c->groups;
  const size_t padded = (group_columns + ET_PANEL - 1) / ET_PANEL * ET_PANEL;
  const size_t column = at->group * padded + at->first_column;
  const size_t first = at->group * group_columns + at->first_column;
  const et_tiles tiles = {
      .panels = c->panels + column * depth,
      .panel_stride = depth * ET_PANEL,
      .start = c->bias + column,
      .out = at->out + first,
      .out_stride = c->columns,
      .residual = at->residual == NULL ? NULL : at->residual + first,
      .residual_stride = c->columns,
      .activation = &c->activation,
  };
  return tiles;
}

/* Adds one block to all results. */
static void add_block(gather *g, const et_cpu_pixels *pixels, const block *b,
                      et_tiles *tiles) {
  fill_table(g, b);
  tiles->table = g->table;
  tiles->segments = b->taps;
  tiles->depth = b->channels;
  ET_CPU_NAME(et_cpu_tiles)(tiles, pixels->pixels, pixels->columns);
  tiles->panels += b->taps * b->channels * ET_PANEL;
  tiles->start = NULL;
}

void ET_CPU_NAME(et_cpu_convolution_f32)(const et_cpu_convolution *conv,
                                         const et_cpu_pixels *pixels) {
  const size_t channels = conv->channels / conv->groups;
  const size_t taps = conv->window.kernel_y * conv->window.kernel_x;
  gather g;
  g.conv = conv;
  g.first_channel = pixels->group * channels;
  g.split = et_split_rows(pixels->pixels);
  find_origins(&g, pixels->first_pixel, pixels->pixels);
  et_tiles tiles = whole_tiles(conv, pixels, taps * channels);
  size_t tap = 0;
  size_t channel = 0;
  do {
    const block b = next_block(tap, channel, taps, channels);
    const int ends_tap = b.channel + b.channels == channels;
    channel = ends_tap ? 0 : b.channel + b.channels;
    tap += ends_tap ? b.taps : 0;
    tiles.last = tap == taps;
    add_block(&g, pixels, &b, &tiles);
  } while (tap < taps);
}
