/* int8 convolution as GEMM: weights times a panel of the input (im2col). The
 * panel holds q - zero_point, so that padding is zero. */
#include "kernels/engines/int8.h"

#include <string.h>

/* Gathers positions [low, high) of one image and group into the panel. */
typedef struct gathering {
  const et_int8_conv *int8_conv;
  const uint8_t *input;
  int64_t low;
  int64_t high;
  int16_t *panel;
  size_t pitch;
} gathering;

/* One tap of a group: its channel and kernel coordinates. */
typedef struct tap {
  int64_t channel;
  int64_t z;
  int64_t y;
  int64_t x;
} tap;

static int64_t between(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

static int64_t position(const et_conv_axis *axis, int64_t o, int64_t k) {
  return o * axis->stride + k * axis->dilation - axis->padding;
}

/* Gathers positions [start, end) of one output row. `to` is at position
 * `start`. */
static void gather_row(const gathering *g, const tap *at, const uint8_t *row,
                       int64_t start, int64_t end, int16_t *to) {
  const et_conv_axis *x = &g->int8_conv->conv.x;
  const et_int8_params by = g->int8_conv->params;
  int64_t first = 0;
  int64_t last = 0;
  et_conv_inside(x, at->x, &first, &last);
  first = between(first, start, end);
  last = between(last, first, end);
  to += (size_t)(first - start) * g->pitch;
  for (int64_t o = first; o < last; o++, to += g->pitch) {
    *to = et_int8_center(by, row[position(x, o, at->x)]);
  }
}

/* Returns the input row that a tap reads for output row `row`, counted over all
 * depths, or NULL outside the input. */
static const uint8_t *input_row(const gathering *g, const tap *at,
                                int64_t row) {
  const et_conv *conv = &g->int8_conv->conv;
  const int64_t z = position(&conv->z, row / conv->y.out, at->z);
  const int64_t y = position(&conv->y, row % conv->y.out, at->y);
  const bool is_inside =
      z >= 0 && z < conv->z.in && y >= 0 && y < conv->y.in && conv->x.in > 0;
  const int64_t rows = (at->channel * conv->z.in + z) * conv->y.in + y;
  return is_inside ? g->input + rows * conv->x.in : NULL;
}

static void gather_tap(const gathering *g, const tap *at, int16_t *to) {
  const int64_t width = g->int8_conv->conv.x.out;
  for (int64_t low = g->low; low < g->high;) {
    const int64_t start = low / width * width;
    const int64_t end = between(start + width, low, g->high);
    const uint8_t *row = input_row(g, at, low / width);
    if (row != NULL) {
      gather_row(g, at, row, low - start, end - start, to);
    }
    to += (size_t)(end - low) * g->pitch;
    low = end;
  }
}

static tap tap_of(const et_conv *conv, int64_t number) {
  tap at = {.x = number % conv->x.kernel};
  number /= conv->x.kernel;
  at.y = number % conv->y.kernel;
  number /= conv->y.kernel;
  at.z = number % conv->z.kernel;
  at.channel = number / conv->z.kernel;
  return at;
}

static void gather(const gathering *g, size_t depth) {
  const size_t columns = (size_t)(g->high - g->low);
  memset(g->panel, 0, columns * g->pitch * sizeof(int16_t));
  for (size_t k = 0; k < depth; k++) {
    const tap at = tap_of(&g->int8_conv->conv, (int64_t)k);
    gather_tap(g, &at, g->panel + k);
  }
}

/* Computes all positions of one image and group. */
static void run_group(gathering *g, et_int8_gemm *gemm, size_t columns) {
  const et_conv *conv = &g->int8_conv->conv;
  const int64_t positions = conv->z.out * conv->y.out * conv->x.out;
  uint8_t *out = gemm->out;
  for (g->low = 0; g->low < positions; g->low = g->high) {
    g->high = between(positions, g->low, g->low + (int64_t)columns);
    gather(g, gemm->depth);
    gemm->out = out + g->low;
    et_int8_gemm_run(gemm, g->panel, (size_t)(g->high - g->low));
  }
}

static void run_gemms(const et_int8_conv *int8_conv, et_mutable_span scratch) {
  const et_conv *conv = &int8_conv->conv;
  const size_t groups = (size_t)conv->groups;
  const size_t rows = (size_t)conv->weight.sizes[0] / groups;
  const size_t depth = et_int8_conv_depth(conv);
  const size_t columns = et_int8_gemm_columns(depth, scratch);
  const size_t positions =
      (size_t)conv->z.out * (size_t)conv->y.out * (size_t)conv->x.out;
  const size_t image = (size_t)conv->weight.sizes[1] * (size_t)conv->z.in *
                       (size_t)conv->y.in * (size_t)conv->x.in;
  for (size_t i = 0; i < (size_t)conv->out.sizes[0] * groups; i++) {
    const size_t first = i % groups * rows;
    gathering g = {int8_conv,
                   (const uint8_t *)conv->input.data + i * image,
                   0,
                   0,
                   (int16_t *)(void *)scratch.data,
                   ET_INT8_GEMM_PITCH(depth)};
    et_int8_gemm gemm = {(const int8_t *)conv->weight.data + first * depth,
                         rows,
                         depth,
                         int8_conv->factors + first,
                         int8_conv->bias == NULL ? NULL
                                                 : int8_conv->bias + first,
                         int8_conv->range,
                         (uint8_t *)conv->out.data + i * rows * positions,
                         positions,
                         1};
    run_group(&g, &gemm, columns);
  }
}

void et_int8_conv_run(const et_int8_conv *conv, et_mutable_span scratch) {
  if (!et_int8_conv_depthwise(conv, scratch)) {
    run_gemms(conv, scratch);
  }
}
