/* Convolution with one input channel per group.
 *
 * Input rows are copied to scratch with their padding, split by the phases of
 * both strides. At output position (oy, ox), tap (ky, kx) reads
 *
 *   phase (ky % stride_y, kx % stride_x), row oy + ky / stride_y,
 *   column ox + kx / stride_x        (ky and kx multiplied by the dilation)
 *
 * For a strip of output rows, each tap therefore reads one run of consecutive
 * elements. A run includes a few columns past the end of each row. They are
 * computed and discarded. */
#include <string.h>

#include "kernels/engines/conv_geometry.h"

#include "runtime/core/arithmetic.h"

/* Layout of a strip in scratch. Each phase has rows * pitch elements, followed
 * by the columns that the last row's run reads past its end. */
typedef struct layout {
  const et_conv *conv;
  float *phases;
  float *results; /* [strip, pitch] */
  int64_t pitch;  /* elements per row of a phase */
  int64_t rows;   /* rows per phase */
  int64_t phase_size;
  int64_t strip; /* output rows that are computed at a time */
} layout;

/* Returns the distance, in rows or columns of a phase, between the first and
 * the last tap of an axis. */
static int64_t tap_reach(const et_conv_axis *axis) {
  return (axis->kernel - 1) * axis->dilation / axis->stride;
}

/* Computes the largest strip that fits scratch:
 *
 *   strides * ((strip + reach) * pitch + slack) + strip * pitch <= floats */
static layout plan_layout(const et_conv *conv, et_mutable_span scratch) {
  const int64_t floats = (int64_t)(scratch.size / sizeof(float));
  const int64_t phases =
      et_min_i64(conv->y.stride, floats) * et_min_i64(conv->x.stride, floats);
  const int64_t slack = tap_reach(&conv->x);
  layout plan = {.conv = conv, .phases = (float *)(void *)scratch.data};
  plan.pitch = conv->x.out + slack;
  if (plan.pitch > floats || tap_reach(&conv->y) > floats) {
    return plan;
  }
  const int64_t fixed = phases * (tap_reach(&conv->y) * plan.pitch + slack);
  const int64_t rest = floats - fixed;
  plan.strip = rest < 0 ? 0 : rest / ((phases + 1) * plan.pitch);
  plan.strip = et_min_i64(plan.strip, conv->y.out);
  plan.rows = plan.strip + tap_reach(&conv->y);
  plan.phase_size = plan.rows * plan.pitch + slack;
  plan.results = plan.phases + phases * plan.phase_size;
  return plan;
}

/* Copies elements start, start + step, ... of a row of `size`, with zeros
 * outside. */
static void copy_row(const float *row, int64_t size, int64_t start,
                     int64_t step, int64_t count, float *to) {
  int64_t i = 0;
  int64_t at = start;
  for (; i < count && at < 0; i++, at += step) {
    to[i] = 0.0f;
  }
  const int64_t inside = at < size ? (size - at + step - 1) / step : 0;
  const int64_t end = et_min_i64(count, i + inside);
  if (i < end) {
    et_conv_copy_spaced(to + i, row + at, step, end - i);
    i = end;
  }
  for (; i < count; i++) {
    to[i] = 0.0f;
  }
}

/* Copies one phase of the input rows for the output rows from `first` on. */
static void copy_phase(const layout *plan, const float *plane, int64_t first,
                       int64_t py, int64_t px) {
  const et_conv_axis *y = &plan->conv->y;
  const et_conv_axis *x = &plan->conv->x;
  float *to = plan->phases + (py * x->stride + px) * plan->phase_size;
  for (int64_t i = 0; i < plan->rows; i++, to += plan->pitch) {
    const int64_t iy = (first + i) * y->stride + py - y->padding;
    if (iy < 0 || iy >= y->in) {
      memset(to, 0, (size_t)plan->pitch * sizeof(float));
    } else {
      copy_row(plane + iy * x->in, x->in, px - x->padding, x->stride,
               plan->pitch, to);
    }
  }
  memset(to, 0, (size_t)tap_reach(x) * sizeof(float));
}

static void copy_strip(const layout *plan, const float *plane, int64_t first) {
  for (int64_t py = 0; py < plan->conv->y.stride; py++) {
    for (int64_t px = 0; px < plan->conv->x.stride; px++) {
      copy_phase(plan, plane, first, py, px);
    }
  }
}

/* Returns the start of the run of tap `tap`. */
static const float *tap_run(const layout *plan, int64_t tap) {
  const et_conv_axis *y = &plan->conv->y;
  const et_conv_axis *x = &plan->conv->x;
  const int64_t ky = tap / x->kernel * y->dilation;
  const int64_t kx = tap % x->kernel * x->dilation;
  const int64_t phase = ky % y->stride * x->stride + kx % x->stride;
  return plan->phases + phase * plan->phase_size +
         ky / y->stride * plan->pitch + kx / x->stride;
}

/* Accumulates nine taps, a 3x3 window, in one pass. */
static void add_nine(const layout *plan, int64_t tap, const float *w,
                     size_t count, float *restrict out) {
  const float *restrict a = tap_run(plan, tap);
  const float *restrict b = tap_run(plan, tap + 1);
  const float *restrict c = tap_run(plan, tap + 2);
  const float *restrict d = tap_run(plan, tap + 3);
  const float *restrict e = tap_run(plan, tap + 4);
  const float *restrict f = tap_run(plan, tap + 5);
  const float *restrict g = tap_run(plan, tap + 6);
  const float *restrict h = tap_run(plan, tap + 7);
  const float *restrict k = tap_run(plan, tap + 8);
  for (size_t j = 0; j < count; j++) {
    out[j] += (w[0] * a[j] + w[1] * b[j] + w[2] * c[j]) +
              (w[3] * d[j] + w[4] * e[j] + w[5] * f[j]) +
              (w[6] * g[j] + w[7] * h[j] + w[8] * k[j]);
  }
}

static void add_one(const layout *plan, int64_t tap, float w, size_t count,
                    float *restrict out) {
  const float *restrict in = tap_run(plan, tap);
  for (size_t j = 0; j < count; j++) {
    out[j] += w * in[j];
  }
}

/* Computes `rows` rows of one output channel and copies them to `out`. */
static void compute_strip(const layout *plan, int64_t rows, const float *weight,
                          float bias, float *out) {
  const et_conv *conv = plan->conv;
  const int64_t taps = conv->y.kernel * conv->x.kernel;
  const size_t count = (size_t)(rows * plan->pitch);
  for (size_t j = 0; j < count; j++) {
    plan->results[j] = bias;
  }
  int64_t tap = 0;
  for (; tap + 9 <= taps; tap += 9) {
    add_nine(plan, tap, weight + tap, count, plan->results);
  }
  for (; tap < taps; tap++) {
    add_one(plan, tap, weight[tap], count, plan->results);
  }
  for (int64_t i = 0; i < rows; i++) {
    memcpy(out + i * conv->x.out, plan->results + i * plan->pitch,
           (size_t)conv->x.out * sizeof(float));
  }
}

/* Computes the output channels that read one input channel. */
static void compute_channel(const layout *plan, const float *plane,
                            const float *weight, const float *bias,
                            float *out) {
  const et_conv *conv = plan->conv;
  const int64_t outs = conv->weight.sizes[0] / conv->groups;
  const int64_t taps = conv->y.kernel * conv->x.kernel;
  for (int64_t first = 0; first < conv->y.out; first += plan->strip) {
    const int64_t rows = et_min_i64(plan->strip, conv->y.out - first);
    copy_strip(plan, plane, first);
    for (int64_t m = 0; m < outs; m++) {
      compute_strip(plan, rows, weight + m * taps,
                    bias == NULL ? 0.0f : bias[m],
                    out + (m * conv->y.out + first) * conv->x.out);
    }
  }
}

bool et_conv_depthwise(const et_conv *conv, et_mutable_span scratch) {
  if (conv->weight.sizes[1] != 1 || !et_conv_axis_is_flat(&conv->z)) {
    return false;
  }
  const layout plan = plan_layout(conv, scratch);
  if (plan.strip == 0) {
    return false;
  }
  const int64_t outs = conv->weight.sizes[0] / conv->groups;
  const int64_t taps = conv->y.kernel * conv->x.kernel;
  const float *input = (const float *)(const void *)conv->input.data;
  const float *weight = (const float *)(const void *)conv->weight.data;
  const float *bias = (const float *)(const void *)conv->bias.data;
  float *out = (float *)(void *)conv->out.data;
  for (int64_t i = 0; i < conv->out.sizes[0] * conv->groups; i++) {
    const int64_t m = i % conv->groups * outs;
    compute_channel(&plan, input + i * conv->y.in * conv->x.in,
                    weight + m * taps, bias == NULL ? NULL : bias + m,
                    out + i * outs * conv->y.out * conv->x.out);
  }
  return true;
}
