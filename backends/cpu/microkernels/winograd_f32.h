/* 3 x 3 convolution with stride 1, computed with Winograd's algorithm F(2 x 2, 3 x 3) or
 * F(4 x 4, 3 x 3) (Lavin & Gray 2016).
 *
 * Y = A^T ((G w G^T) * (B^T d B)) A for each tile, with d of 4 x 4 or 6 x 6 pixels and Y of 2 x 2
 * or 4 x 4 outputs; * is the elementwise product, summed over the channels. Transformed weights are
 * packed in panels per position, [position, panel, channels, 16]:
 *   position 0, panel 0: w[c=0][0..15]  w[c=1][0..15] ...
 * A group of tiles is transformed to [position, tile, channels]. Each position is a GEMM with the
 * register tile of gemm_f32, for 64 columns at once. Its results stay in cache until the output
 * transform. F(4 x 4) has a quarter of the multiplications of a direct convolution and four times
 * its weights. With few tiles, reading the weights is the bottleneck; otherwise, the GEMMs are. */
#ifndef BACKENDS_CPU_MICROKERNELS_WINOGRAD_F32_H_
#define BACKENDS_CPU_MICROKERNELS_WINOGRAD_F32_H_

#include "backends/cpu/microkernels/activation.h"
#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/schema/cost_model.h"

typedef struct et_cpu_winograd {
  const float *x;        /* [batch][height][width][channels] */
  const float *panels;   /* [position][panel][channels][16] */
  const float *bias;     /* [panel][16] */
  const float *residual; /* layout of `out`; or NULL */
  float *out;            /* [batch][out_height][out_width][columns] */
  size_t height, width;
  size_t out_height, out_width;
  size_t top, left; /* padding */
  size_t side;      /* outputs of a tile along an axis: 2 or 4 */
  size_t channels;
  size_t columns;
  et_cpu_activation activation;
} et_cpu_winograd;

/* Returns the number of positions of a transformed tile with `side` x `side` outputs. */
static inline size_t et_cpu_winograd_positions(size_t side) {
  return (side + 2) * (side + 2);
}

/* Returns the number of tiles along an axis of `out` outputs. */
static inline size_t et_cpu_winograd_tiles(size_t out, size_t side) {
  return (out + side - 1) / side;
}

/* Position of the outputs of a tile. */
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

/* Returns the size of the workspace in floats for `tiles` tiles. The workspace holds the
 * transformed pixels and the products for 64 columns of each tile, and the pixels of one tile at an
 * edge. */
static inline uint64_t et_cpu_winograd_workspace(size_t side, uint64_t tiles,
                                                 size_t channels) {
  return et_cpu_winograd_positions(side) *
         (tiles * (channels + ET_CPU_WINOGRAD_COLUMNS) + channels);
}

/* Range of tiles, in row order over all images, and of columns. The first column is a multiple of
 * ET_CPU_WINOGRAD_COLUMNS. */
typedef struct et_cpu_winograd_part {
  size_t first_tile, tiles;
  size_t first_column, end_column;
} et_cpu_winograd_part;

typedef void et_cpu_winograd_f32_function(const et_cpu_winograd *winograd,
                                          const et_cpu_winograd_part *part,
                                          float *workspace);

ET_CPU_DECLARE(et_cpu_winograd_f32_function, et_cpu_winograd_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_WINOGRAD_F32_H_ */
