/* int8 convolution with one input channel per group.
 *
 * An input row is copied to scratch with its padding, split by stride phase.
 * Tap kx, multiplied by the dilation, reads phase kx % stride from column kx /
 * stride. Consecutive results therefore read consecutive elements. The rows
 * that an output row reads stay in a ring buffer, so that each input row is
 * copied once. */
#include <string.h>

#include "kernels/engines/int8.h"

typedef struct layout {
  const et_int8_conv *int8_conv;
  int16_t *rows;         /* [slots, phases, pitch] */
  int32_t *accumulators; /* one output row */
  int64_t slots;
  int64_t pitch;
  int64_t copied; /* input rows before this one were copied */
} layout;

static int64_t reach(const et_conv_axis *axis) {
  return (axis->kernel - 1) * axis->dilation;
}

/* Returns true if the rows fit in scratch, after the accumulators. */
static bool plan_layout(const et_int8_conv *int8_conv, et_mutable_span scratch,
                        layout *plan) {
  const et_conv_axis *y = &int8_conv->conv.y;
  const et_conv_axis *x = &int8_conv->conv.x;
  const int64_t capacity = (int64_t)(scratch.size / sizeof(int16_t));
  const int64_t accumulators =
      (int64_t)(sizeof(int32_t) / sizeof(int16_t)) * x->out;
  *plan = (layout){.int8_conv = int8_conv,
                   .slots = reach(y) + 1,
                   .pitch = x->out + reach(x) / x->stride};
  if (reach(y) >= capacity || reach(x) >= capacity || x->stride > capacity ||
      accumulators > capacity) {
    return false;
  }
  plan->accumulators = (int32_t *)(void *)scratch.data;
  plan->rows = (int16_t *)(void *)scratch.data + accumulators;
  return plan->pitch <= (capacity - accumulators) / plan->slots / x->stride;
}

/* Copies one phase of an input row: elements start, start + stride, ..., with
 * zeros outside the row. */
static void copy_phase(const layout *plan, const uint8_t *row, int64_t phase,
                       int16_t *to) {
  const et_conv_axis *x = &plan->int8_conv->conv.x;
  const int64_t start = phase - x->padding;
  int64_t first = start < 0 ? (-start + x->stride - 1) / x->stride : 0;
  first = first < plan->pitch ? first : plan->pitch;
  const int64_t at = start + first * x->stride;
  int64_t inside = at < x->in ? (x->in - at + x->stride - 1) / x->stride : 0;
  inside = inside < plan->pitch - first ? inside : plan->pitch - first;
  memset(to, 0, (size_t)plan->pitch * sizeof(int16_t));
  if (inside > 0) {
    et_int8_center_all(plan->int8_conv->params, row + at, (ptrdiff_t)x->stride,
                       (size_t)inside, to + first);
  }
}

static int16_t *slot_of(const layout *plan, int64_t row) {
  const int64_t size = plan->int8_conv->conv.x.stride * plan->pitch;
  return plan->rows + row % plan->slots * size;
}

/* Copies the rows in [first, end) that were not copied yet. */
static void copy_rows(layout *plan, const uint8_t *plane, int64_t first,
                      int64_t end) {
  const et_conv_axis *x = &plan->int8_conv->conv.x;
  plan->copied = plan->copied > first ? plan->copied : first;
  for (; plan->copied < end; plan->copied++) {
    int16_t *to = slot_of(plan, plan->copied);
    for (int64_t phase = 0; phase < x->stride; phase++) {
      copy_phase(plan, plane + plan->copied * x->in, phase,
                 to + phase * plan->pitch);
    }
  }
}

static const int16_t *run_of(const layout *plan, const int16_t *row,
                             int64_t tap) {
  const et_conv_axis *x = &plan->int8_conv->conv.x;
  const int64_t at = tap * x->dilation;
  return row + at % x->stride * plan->pitch + at / x->stride;
}

static void add_tap(const int16_t *restrict run, int16_t weight, size_t count,
                    int32_t *restrict accumulators) {
  for (size_t i = 0; i < count; i++) {
    accumulators[i] += (int32_t)weight * run[i];
  }
}

/* Accumulates three taps in one pass. */
static void add_three(const int16_t *restrict a, const int16_t *restrict b,
                      const int16_t *restrict c, const int8_t *weights,
                      size_t count, int32_t *restrict accumulators) {
  const int16_t u = weights[0];
  const int16_t v = weights[1];
  const int16_t w = weights[2];
  for (size_t i = 0; i < count; i++) {
    accumulators[i] +=
        (int32_t)u * a[i] + (int32_t)v * b[i] + (int32_t)w * c[i];
  }
}

/* Accumulates the taps of one input row. */
static void add_row(const layout *plan, const int16_t *row,
                    const int8_t *weights) {
  const et_conv_axis *x = &plan->int8_conv->conv.x;
  const size_t count = (size_t)x->out;
  int64_t tap = 0;
  for (; tap + 3 <= x->kernel; tap += 3) {
    add_three(run_of(plan, row, tap), run_of(plan, row, tap + 1),
              run_of(plan, row, tap + 2), weights + tap, count,
              plan->accumulators);
  }
  for (; tap < x->kernel; tap++) {
    add_tap(run_of(plan, row, tap), weights[tap], count, plan->accumulators);
  }
}

/* Computes the accumulators of output row `position`. */
static void sum_row(layout *plan, const uint8_t *plane, const int8_t *weights,
                    int64_t position) {
  const et_conv_axis *y = &plan->int8_conv->conv.y;
  const int64_t start = position * y->stride - y->padding;
  const int64_t end = start + plan->slots < y->in ? start + plan->slots : y->in;
  copy_rows(plan, plane, start > 0 ? start : 0, end);
  memset(plan->accumulators, 0,
         (size_t)plan->int8_conv->conv.x.out * sizeof(plan->accumulators[0]));
  for (int64_t tap = 0; tap < y->kernel; tap++) {
    const int64_t row = start + tap * y->dilation;
    if (row >= 0 && row < y->in) {
      add_row(plan, slot_of(plan, row),
              weights + tap * plan->int8_conv->conv.x.kernel);
    }
  }
}

static void run_channel(layout *plan, const uint8_t *plane, size_t channel,
                        uint8_t *out) {
  const et_int8_conv *int8_conv = plan->int8_conv;
  const et_conv *conv = &int8_conv->conv;
  const int8_t *weights =
      (const int8_t *)conv->weight.data + channel * et_int8_conv_depth(conv);
  const float bias = int8_conv->bias == NULL ? 0.0f : int8_conv->bias[channel];
  plan->copied = 0;
  for (int64_t row = 0; row < conv->y.out; row++, out += conv->x.out) {
    sum_row(plan, plane, weights, row);
    et_int8_requantize(plan->accumulators, (size_t)conv->x.out,
                       int8_conv->factors[channel], bias, &int8_conv->range,
                       out);
  }
}

bool et_int8_conv_depthwise(const et_int8_conv *int8_conv,
                            et_mutable_span scratch) {
  const et_conv *conv = &int8_conv->conv;
  const size_t channels = (size_t)conv->weight.sizes[0];
  const size_t of_group = channels / (size_t)conv->groups;
  const size_t in = (size_t)conv->y.in * (size_t)conv->x.in;
  const size_t out = (size_t)conv->y.out * (size_t)conv->x.out;
  layout plan;
  if (conv->weight.sizes[1] != 1 || !et_conv_axis_is_flat(&conv->z) ||
      !plan_layout(int8_conv, scratch, &plan)) {
    return false;
  }
  for (size_t i = 0; i < (size_t)conv->out.sizes[0] * channels; i++) {
    run_channel(&plan, (const uint8_t *)conv->input.data + i / of_group * in,
                i % channels, (uint8_t *)conv->out.data + i * out);
  }
  return true;
}
