/* Convolution as implicit GEMM: weight [output channels, taps] times a panel
 * [taps, positions] of the input, which is gathered block by block. */
#include <string.h>

#include "executorch/kernels/scratch.h"
#include "kernels/engines/conv_geometry.h"
#include "kernels/engines/gemm.h"
#include "runtime/core/arithmetic.h"

/* Maximum columns of a panel. It is large enough for vector loops, and small
 * enough that the rows of the output and of the panel stay in the cache. */
#define PANEL_COLUMNS 256

/* GEMM of one image and group. `rows` counts output channels, `columns`
 * positions and `depth` taps (channel, kz, ky, kx). */
typedef struct gemm {
  const et_conv *conv;
  const float *input;
  const float *weight;
  const float *bias; /* NULL for none */
  float *out;
  size_t rows;
  size_t columns;
  size_t depth;
  float *panel; /* scratch; NULL if the input itself is the matrix */
} gemm;

static float *fill_zero(float *to, int64_t count) {
  if (count <= 0) {
    return to;
  }
  memset(to, 0, (size_t)count * sizeof(float));
  return to + count;
}

static int64_t between(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Appends the elements that tap `tap` reads from one input row at positions
 * [low, high). */
static float *gather_row(const et_conv_axis *x, int64_t tap, const float *row,
                         int64_t low, int64_t high, float *to) {
  int64_t first = 0;
  int64_t last = 0;
  et_conv_inside(x, tap, &first, &last);
  first = between(first, low, high);
  last = between(last, first, high);
  to = fill_zero(to, first - low);
  if (last > first) {
    const int64_t start = first * x->stride + tap * x->dilation - x->padding;
    et_conv_copy_spaced(to, row + start, x->stride, last - first);
    to += last - first;
  }
  return fill_zero(to, high - last);
}

/* Returns the input index that tap `k` reads at output `o`. May be outside. */
static int64_t position(const et_conv_axis *axis, int64_t o, int64_t k) {
  return o * axis->stride + k * axis->dilation - axis->padding;
}

/* Returns the input row that tap (kz, ky) of a channel reads for output row
 * `row`, counted over all depths, or NULL outside the input. */
static const float *input_row(const et_conv *conv, const float *channel,
                              int64_t row, int64_t kz, int64_t ky) {
  const int64_t iz = position(&conv->z, row / conv->y.out, kz);
  const int64_t iy = position(&conv->y, row % conv->y.out, ky);
  const bool inside = iz >= 0 && iz < conv->z.in && iy >= 0 && iy < conv->y.in;
  return inside ? channel + (iz * conv->y.in + iy) * conv->x.in : NULL;
}

/* Gathers one row of a panel: the elements that tap `k` reads at positions
 * [low, high). */
static void gather_tap(const gemm *p, size_t k, int64_t low, int64_t high,
                       float *to) {
  const et_conv *conv = p->conv;
  const et_conv_axis *x = &conv->x;
  const int64_t kx = (int64_t)k % x->kernel;
  const int64_t ky = (int64_t)k / x->kernel % conv->y.kernel;
  const int64_t kz = (int64_t)k / x->kernel / conv->y.kernel % conv->z.kernel;
  const int64_t c = (int64_t)k / x->kernel / conv->y.kernel / conv->z.kernel;
  const float *channel = p->input + c * conv->z.in * conv->y.in * x->in;
  while (low < high) {
    const int64_t row_start = low / x->out * x->out;
    const int64_t end = between(row_start + x->out, low, high);
    const float *row = input_row(conv, channel, low / x->out, kz, ky);
    if (row == NULL) {
      to = fill_zero(to, end - low);
    } else {
      to = gather_row(x, kx, row, low - row_start, end - row_start, to);
    }
    low = end;
  }
}

static et_gemm_panel make_panel(const gemm *p, size_t tap, size_t taps,
                                size_t column, size_t columns) {
  if (p->panel == NULL) {
    return (et_gemm_panel){p->input + tap * p->columns + column, p->columns};
  }
  for (size_t k = 0; k < taps; k++) {
    gather_tap(p, tap + k, (int64_t)column, (int64_t)(column + columns),
               p->panel + k * columns);
  }
  return (et_gemm_panel){p->panel, columns};
}

/* The loop runs once if depth is 0, to write the bias. */
static void compute_columns(const gemm *p, size_t column, size_t columns) {
  const size_t floats = ET_CONV_SCRATCH_BYTES / sizeof(float);
  const size_t block = floats / columns / 4 * 4;
  size_t tap = 0;
  do {
    const size_t taps = et_min_size(block, p->depth - tap);
    const et_gemm_panel panel = make_panel(p, tap, taps, column, columns);
    const et_gemm_matrix weight = {p->weight + tap, (ptrdiff_t)p->depth, 1};
    et_gemm_accumulate(p->rows, columns, taps, &weight, &panel,
                       (et_gemm_start){tap == 0, p->bias}, p->out + column,
                       p->columns);
    tap += taps;
  } while (tap < p->depth);
}

static void compute_gemm(const gemm *p) {
  for (size_t start = 0; start < p->columns; start += PANEL_COLUMNS) {
    compute_columns(p, start, et_min_size(PANEL_COLUMNS, p->columns - start));
  }
}

void et_conv_gemm(const et_conv *conv, et_mutable_span scratch) {
  const size_t groups = (size_t)conv->groups;
  gemm p = {.conv = conv};
  p.rows = (size_t)conv->weight.sizes[0] / groups;
  p.columns = (size_t)(conv->z.out * conv->y.out * conv->x.out);
  p.depth = (size_t)(conv->weight.sizes[1] * conv->z.kernel * conv->y.kernel *
                     conv->x.kernel);
  p.panel = et_conv_is_pointwise(conv) ? NULL : (float *)(void *)scratch.data;
  const size_t image =
      (size_t)(conv->weight.sizes[1] * conv->z.in * conv->y.in * conv->x.in);
  const float *bias = (const float *)(const void *)conv->bias.data;
  for (size_t i = 0; i < (size_t)conv->out.sizes[0] * groups; i++) {
    const size_t group = i % groups;
    p.input = (const float *)(const void *)conv->input.data + i * image;
    p.weight = (const float *)(const void *)conv->weight.data +
               group * p.rows * p.depth;
    p.bias = bias == NULL ? NULL : bias + group * p.rows;
    p.out = (float *)(void *)conv->out.data + i * p.rows * p.columns;
    compute_gemm(&p);
  }
}
