/* Convolution 3 x 3 of stride 1 as F(4 x 4, 3 x 3): tiles of 6 x 6 pixels are
 * transformed, each of their 36 positions is a product of its own over the
 * channels, and the products are transformed back to 4 x 4 results. */
#ifndef BACKENDS_CPU_SIMD_WINOGRAD_H_
#define BACKENDS_CPU_SIMD_WINOGRAD_H_

#include "backends/cpu/simd/activation.h"
#include "backends/cpu/simd/variants.h"

#define ET_CPU_WINOGRAD_SIDE 6
#define ET_CPU_WINOGRAD_POSITIONS 36
#define ET_CPU_WINOGRAD_OUT 4

typedef struct et_cpu_winograd {
  const float *x;        /* [batch][height][width][channels] */
  const float *panels;   /* [36][panel][channels][16] */
  const float *bias;     /* [panel][16] */
  const float *residual; /* as out, or NULL */
  float *out;            /* [batch][out_height][out_width][columns] */
  size_t height, width;
  size_t out_height, out_width;
  size_t top, left; /* padding */
  size_t channels;
  size_t columns;
  et_cpu_activation activation;
} et_cpu_winograd;

/* Tiles of results along an axis. */
static inline size_t et_cpu_winograd_tiles(size_t out) {
  return (out + ET_CPU_WINOGRAD_OUT - 1) / ET_CPU_WINOGRAD_OUT;
}

/* Floats that `tiles` tiles at once need: all positions of their pixels, of one
 * panel of products, and the pixels of one tile. */
static inline size_t et_cpu_winograd_workspace(size_t tiles, size_t channels) {
  return ET_CPU_WINOGRAD_POSITIONS * (tiles * (channels + 16) + channels);
}

/* Computes tiles first, first + 1, ..., counted by rows over all images. */
typedef void et_cpu_winograd_f32_function(const et_cpu_winograd *winograd,
                                          size_t first, size_t tiles,
                                          float *workspace);

ET_CPU_DECLARE(et_cpu_winograd_f32_function, et_cpu_winograd_f32);

#endif /* BACKENDS_CPU_SIMD_WINOGRAD_H_ */
