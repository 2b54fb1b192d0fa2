/* Convolution in which every group has one input channel. Rows of the input are
 * laid out in scratch with their padding, one phase of the stride behind the
 * other, so that every tap of a row of positions reads consecutive elements. */
#include <string.h>

#include "kernels/util/conv.h"

/* How the rows lie in scratch. Input column c (from -padding on) is element
 * (c + padding) / stride of phase (c + padding) % stride. */
typedef struct layout {
  const et_conv *conv;
  float *rows;
  int64_t phase_size; /* elements of one phase of one row */
  int64_t row_size;   /* elements of one row: stride phases */
  int64_t strip;      /* output rows that the input rows in scratch serve */
} layout;

/* Input rows that `out_rows` output rows read. */
static int64_t rows_read(const et_conv_axis *y, int64_t out_rows) {
  return (out_rows - 1) * y->stride + (y->kernel - 1) * y->dilation + 1;
}

static layout plan_layout(const et_conv *conv, et_mutable_span scratch) {
  const et_conv_axis *x = &conv->x;
  const et_conv_axis *y = &conv->y;
  layout plan = {conv, (float *)(void *)scratch.data, 0, 0, 0};
  plan.phase_size = x->out + (x->kernel - 1) * x->dilation / x->stride;
  plan.row_size = plan.phase_size * x->stride;
  const int64_t rows =
      (int64_t)(scratch.size / sizeof(float)) / plan.row_size;
  const int64_t least = rows_read(y, 1);
  plan.strip = rows < least ? 0 : (rows - least) / y->stride + 1;
  return plan;
}

/* Lays out phase `phase` of one input row: elements phase - padding,
 * phase - padding + stride, ... with zeros outside the row. */
static void lay_phase(const layout *plan, const float *row, int64_t phase,
                      float *to) {
  const et_conv_axis *x = &plan->conv->x;
  const int64_t shift = phase - x->padding;
  int64_t i = 0;
  for (; i < plan->phase_size && i * x->stride + shift < 0; i++) {
    to[i] = 0.0f;
  }
  for (; i < plan->phase_size && i * x->stride + shift < x->in; i++) {
    to[i] = row[i * x->stride + shift];
  }
  for (; i < plan->phase_size; i++) {
    to[i] = 0.0f;
  }
}

static void lay_row(const layout *plan, const float *plane, int64_t iy,
                    float *to) {
  const et_conv *conv = plan->conv;
  if (iy < 0 || iy >= conv->y.in) {
    memset(to, 0, (size_t)plan->row_size * sizeof(float));
    return;
  }
  for (int64_t phase = 0; phase < conv->x.stride; phase++) {
    lay_phase(plan, plane + iy * conv->x.in, phase,
              to + phase * plan->phase_size);
  }
}

/* Where tap (ky, kx) of output row `row` of the strip begins. */
static const float *tap_row(const layout *plan, int64_t row, int64_t tap) {
  const et_conv *conv = plan->conv;
  const int64_t kx = tap % conv->x.kernel * conv->x.dilation;
  const int64_t ky = tap / conv->x.kernel * conv->y.dilation;
  return plan->rows + (row * conv->y.stride + ky) * plan->row_size +
         kx % conv->x.stride * plan->phase_size + kx / conv->x.stride;
}

/* Adds nine taps, a 3 x 3 window, in one pass. */
static void add_nine(const layout *plan, int64_t row, int64_t tap,
                     const float *w, float *restrict out) {
  const float *restrict in[9];
  for (int64_t i = 0; i < 9; i++) {
    in[i] = tap_row(plan, row, tap + i);
  }
  const float *restrict a = in[0], *restrict b = in[1], *restrict c = in[2];
  const float *restrict d = in[3], *restrict e = in[4], *restrict f = in[5];
  const float *restrict g = in[6], *restrict h = in[7], *restrict k = in[8];
  const size_t count = (size_t)plan->conv->x.out;
  for (size_t j = 0; j < count; j++) {
    out[j] += (w[0] * a[j] + w[1] * b[j] + w[2] * c[j]) +
              (w[3] * d[j] + w[4] * e[j] + w[5] * f[j]) +
              (w[6] * g[j] + w[7] * h[j] + w[8] * k[j]);
  }
}

static void add_one(const layout *plan, int64_t row, int64_t tap, float w,
                    float *restrict out) {
  const float *restrict in = tap_row(plan, row, tap);
  const size_t count = (size_t)plan->conv->x.out;
  for (size_t j = 0; j < count; j++) {
    out[j] += w * in[j];
  }
}

static void compute_row(const layout *plan, int64_t row, const float *weight,
                        float bias, float *out) {
  const int64_t taps = plan->conv->y.kernel * plan->conv->x.kernel;
  for (int64_t j = 0; j < plan->conv->x.out; j++) {
    out[j] = bias;
  }
  int64_t tap = 0;
  for (; tap + 9 <= taps; tap += 9) {
    add_nine(plan, row, tap, weight + tap, out);
  }
  for (; tap < taps; tap++) {
    add_one(plan, row, tap, weight[tap], out);
  }
}

/* One input channel and the out channels that read it. */
static void compute_channel(const layout *plan, const float *plane,
                            const float *weight, const float *bias,
                            float *out) {
  const et_conv *conv = plan->conv;
  const int64_t multiplier = conv->weight.sizes[0] / conv->groups;
  const int64_t taps = conv->y.kernel * conv->x.kernel;
  const int64_t out_plane = conv->y.out * conv->x.out;
  for (int64_t start = 0; start < conv->y.out; start += plan->strip) {
    const int64_t rest = conv->y.out - start;
    const int64_t rows = rest < plan->strip ? rest : plan->strip;
    for (int64_t i = 0; i < rows_read(&conv->y, rows); i++) {
      lay_row(plan, plane, start * conv->y.stride - conv->y.padding + i,
              plan->rows + i * plan->row_size);
    }
    for (int64_t i = 0; i < multiplier * rows; i++) {
      const int64_t m = i / rows;
      const int64_t row = i % rows;
      compute_row(plan, row, weight + m * taps, bias == NULL ? 0.0f : bias[m],
                  out + m * out_plane + (start + row) * conv->x.out);
    }
  }
}

bool et_conv_depthwise(const et_conv *conv, et_mutable_span scratch) {
  if (conv->weight.sizes[1] != 1 || conv->x.out == 0) {
    return false;
  }
  const layout plan = plan_layout(conv, scratch);
  if (plan.strip == 0) {
    return false;
  }
  const int64_t multiplier = conv->weight.sizes[0] / conv->groups;
  const int64_t taps = conv->y.kernel * conv->x.kernel;
  const float *input = (const float *)(const void *)conv->input.data;
  const float *weight = (const float *)(const void *)conv->weight.data;
  const float *bias = (const float *)(const void *)conv->bias.data;
  float *out = (float *)(void *)conv->out.data;
  for (int64_t i = 0; i < conv->out.sizes[0] * conv->groups; i++) {
    const int64_t m = i % conv->groups * multiplier;
    compute_channel(&plan, input + i * conv->y.in * conv->x.in,
                    weight + m * taps, bias == NULL ? NULL : bias + m,
                    out + i * multiplier * conv->y.out * conv->x.out);
  }
  return true;
}
