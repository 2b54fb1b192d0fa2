/* Convolution 3 x 3 of stride 1 as F(2 x 2, 3 x 3) or F(4 x 4, 3 x 3): tiles of
 * 4 x 4 or 6 x 6 pixels are transformed, each of their positions is a product of
 * its own over the channels, and the products are transformed back to 2 x 2 or
 * 4 x 4 results. */
#ifndef BACKENDS_CPU_MICROKERNELS_WINOGRAD_F32_H_
#define BACKENDS_CPU_MICROKERNELS_WINOGRAD_F32_H_

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/variants.h"

/* Columns of products that are transformed back at once. */
#define ET_CPU_WINOGRAD_COLUMNS 64

typedef struct et_cpu_winograd {
  const float *x;        /* [batch][height][width][channels] */
  const float *panels;   /* [position][panel][channels][16] */
  const float *bias;     /* [panel][16] */
  const float *residual; /* as out, or NULL */
  float *out;            /* [batch][out_height][out_width][columns] */
  size_t height, width;
  size_t out_height, out_width;
  size_t top, left; /* padding */
  size_t side;      /* of a tile's results: 2 or 4 */
  size_t channels;
  size_t columns;
  et_cpu_activation activation;
} et_cpu_winograd;

/* Positions of a tile whose results are `side` x `side`. */
static inline size_t et_cpu_winograd_positions(size_t side) {
  return (side + 2) * (side + 2);
}

/* Tiles of results along an axis. */
static inline size_t et_cpu_winograd_tiles(size_t out, size_t side) {
  return (out + side - 1) / side;
}

/* Where the results of a tile lie that is counted by rows over all images. */
typedef struct et_cpu_winograd_place {
  size_t image;
  size_t y, x;
} et_cpu_winograd_place;

static inline et_cpu_winograd_place et_cpu_winograd_place_of(size_t out_height,
                                                             size_t out_width,
                                                             size_t side,
                                                             size_t tile) {
  const size_t across = et_cpu_winograd_tiles(out_width, side);
  const size_t down = et_cpu_winograd_tiles(out_height, side);
  const et_cpu_winograd_place at = {
      tile / across / down, tile / across % down * side, tile % across * side};
  return at;
}

/* Floats that `tiles` tiles at once need: all positions of their pixels and of
 * some columns of products, and the pixels of one tile. */
static inline size_t et_cpu_winograd_workspace(size_t side, size_t tiles,
                                               size_t channels) {
  return et_cpu_winograd_positions(side) *
         (tiles * (channels + ET_CPU_WINOGRAD_COLUMNS) + channels);
}

/* Some tiles, counted by rows over all images, and some columns of their results:
 * from whole ET_CPU_WINOGRAD_COLUMNS on. */
typedef struct et_cpu_winograd_part {
  size_t first_tile, tiles;
  size_t first_column, end_column;
} et_cpu_winograd_part;

typedef void et_cpu_winograd_f32_function(const et_cpu_winograd *winograd,
                                          const et_cpu_winograd_part *part,
                                          float *workspace);

ET_CPU_DECLARE(et_cpu_winograd_f32_function, et_cpu_winograd_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_WINOGRAD_F32_H_ */
