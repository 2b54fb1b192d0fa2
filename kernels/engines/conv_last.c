/* Convolution in channels-last order. For each output row and tap, runs a GEMM
 * of input [positions, channels], read in place, and a weight panel [channels,
 * output channels], packed into scratch. If the pixels of a row are contiguous,
 * the taps of a kernel row form one run of channels and share a GEMM. */
#include "executorch/kernels/scratch.h"
#include "kernels/engines/conv.h"
#include "kernels/engines/gemm.h"
#include "runtime/core/arithmetic.h"

/* Maximum columns of a panel. It has as many rows as fit in scratch. */
#define PANEL_COLUMNS 64

/* A panel of weights, from output channel `column` of a group. It holds all
 * channels of the taps (ky, kx), ..., (ky, kx + taps - 1), or `channels`
 * channels of one tap, from `channel` on. */
typedef struct block {
  const et_conv *conv;
  float *panel;
  int64_t group;
  int64_t column;
  int64_t columns;
  int64_t ky;
  int64_t kx;
  int64_t taps;
  int64_t channel;
  int64_t channels;
} block;

static const float *floats(const et_view *view) {
  return (const float *)(const void *)view->data;
}

static const float *input_at(const et_conv *conv, int64_t image,
                             int64_t channel, int64_t y, int64_t x) {
  const int64_t *strides = conv->input.strides;
  return floats(&conv->input) + image * strides[0] + channel + y * strides[3] +
         x * strides[4];
}

static float *out_at(const et_conv *conv, int64_t image, int64_t channel,
                     int64_t y, int64_t x) {
  const int64_t *strides = conv->out.strides;
  return (float *)(void *)conv->out.data + image * strides[0] + channel +
         y * strides[3] + x * strides[4];
}

/* Packs one row of the panel: the weights of all columns for one channel of a
 * tap. */
static void pack_row(const block *b, int64_t kx, int64_t channel, float *to) {
  const et_view *weight = &b->conv->weight;
  const int64_t outs = weight->sizes[0] / b->conv->groups;
  const int64_t *strides = weight->strides;
  const int64_t step = strides[0];
  const float *from =
      floats(weight) + (b->group * outs + b->column) * strides[0] +
      channel * strides[1] + b->ky * strides[3] + kx * strides[4];
  for (int64_t i = 0; i < b->columns; i++) {
    to[i] = from[i * step];
  }
}

static void pack_panel(const block *b) {
  float *to = b->panel;
  for (int64_t kx = b->kx; kx < b->kx + b->taps; kx++) {
    for (int64_t i = 0; i < b->channels; i++, to += b->columns) {
      pack_row(b, kx, b->channel + i, to);
    }
  }
}

static int64_t column_of(const et_conv_axis *x, int64_t position, int64_t kx) {
  return position * x->stride + kx * x->dilation - x->padding;
}

static int64_t between(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

/* Computes the taps [*first, *end) of the block that read inside the input. */
static void taps_inside(const block *b, int64_t position, int64_t *first,
                        int64_t *end) {
  et_conv_taps_inside(&b->conv->x, position, first, end);
  *first = between(*first, b->kx, b->kx + b->taps);
  *end = between(*end, *first, b->kx + b->taps);
}

/* Accumulates the taps [first, end) into `count` positions of a row, from
 * `position`. */
static void add_run(const block *b, int64_t image, int64_t oy, int64_t iy,
                    int64_t position, int64_t count, int64_t first,
                    int64_t end) {
  const et_conv *conv = b->conv;
  const int64_t outs = conv->weight.sizes[0] / conv->groups;
  const int64_t all = conv->weight.sizes[1];
  const et_gemm_matrix input = {
      input_at(conv, image, b->group * all + b->channel, iy,
               column_of(&conv->x, position, first)),
      (ptrdiff_t)(conv->x.stride * conv->input.strides[4]), 1};
  const et_gemm_panel panel = {
      b->panel + (first - b->kx) * b->channels * b->columns,
      (size_t)b->columns};
  et_gemm_accumulate(
      (size_t)count, (size_t)b->columns, (size_t)((end - first) * b->channels),
      &input, &panel, (et_gemm_start){false, NULL},
      out_at(conv, image, b->group * outs + b->column, oy, position),
      (size_t)conv->out.strides[4]);
}

/* Adjacent positions that read the same taps form one run. */
static void add_row(const block *b, int64_t image, int64_t oy, int64_t iy) {
  const int64_t positions = b->conv->x.out;
  int64_t next = 0;
  for (int64_t start = 0; start < positions; start = next) {
    int64_t first = 0;
    int64_t end = 0;
    int64_t next_first = 0;
    int64_t next_end = 0;
    taps_inside(b, start, &first, &end);
    for (next = start + 1; next < positions; next++) {
      taps_inside(b, next, &next_first, &next_end);
      if (next_first != first || next_end != end) {
        break;
      }
    }
    if (first < end) {
      add_run(b, image, oy, iy, start, next - start, first, end);
    }
  }
}

static void add_block(const block *b) {
  const et_conv_axis *y = &b->conv->y;
  pack_panel(b);
  int64_t low = 0;
  int64_t high = 0;
  et_conv_inside(y, b->ky, &low, &high);
  for (int64_t image = 0; image < b->conv->out.sizes[0]; image++) {
    for (int64_t oy = low; oy < high; oy++) {
      add_row(b, image, oy, oy * y->stride + b->ky * y->dilation - y->padding);
    }
  }
}

/* Returns how many taps of a kernel row form one run of channels in memory and
 * fit in a panel. */
static int64_t taps_per_panel(const et_conv *conv, int64_t panel_rows) {
  const int64_t channels = conv->weight.sizes[1];
  const bool follow = conv->groups == 1 && conv->x.dilation == 1 &&
                      conv->input.strides[4] == channels;
  return follow && conv->x.kernel <= panel_rows / channels ? conv->x.kernel : 1;
}

static void add_columns(block b) {
  const int64_t all = b.conv->weight.sizes[1];
  const int64_t floats = (int64_t)(ET_CONV_SCRATCH_BYTES / sizeof(float));
  const int64_t rows = floats / b.columns;
  const int64_t taps = taps_per_panel(b.conv, rows);
  const int64_t channels = et_min_i64(all, rows);
  for (b.ky = 0; b.ky < b.conv->y.kernel; b.ky++) {
    for (b.kx = 0; b.kx < b.conv->x.kernel; b.kx += taps) {
      for (b.channel = 0; b.channel < all; b.channel += channels) {
        b.taps = taps;
        b.channels = et_min_i64(channels, all - b.channel);
        add_block(&b);
      }
    }
  }
}

static void start_row(const et_conv *conv, float *out) {
  const float *bias = floats(&conv->bias);
  for (int64_t i = 0; i < conv->out.sizes[1]; i++) {
    out[i] = bias == NULL ? 0.0f : bias[i];
  }
}

static void start_all(const et_conv *conv) {
  const int64_t row = conv->x.out;
  const int64_t positions = conv->out.sizes[0] * conv->y.out * row;
  for (int64_t i = 0; i < positions; i++) {
    start_row(conv, out_at(conv, i / row / conv->y.out, 0,
                           i / row % conv->y.out, i % row));
  }
}

/* Views a pointwise convolution as a convolution of a single row, if rows are
 * contiguous. */
static et_conv with_one_row(const et_conv *conv) {
  et_conv flat = *conv;
  const bool follow =
      conv->input.strides[3] == conv->x.in * conv->input.strides[4] &&
      conv->out.strides[3] == conv->x.out * conv->out.strides[4];
  if (et_conv_is_pointwise(conv) && follow) {
    flat.x.in *= flat.y.in;
    flat.x.out *= flat.y.out;
    flat.y.in = flat.y.out = 1;
  }
  return flat;
}

static void compute_gemm(const et_conv *given, et_mutable_span scratch) {
  const et_conv conv = with_one_row(given);
  const int64_t outs = conv.weight.sizes[0] / conv.groups;
  block b = {.conv = &conv, .panel = (float *)(void *)scratch.data};
  start_all(&conv);
  for (b.group = 0; b.group < conv.groups; b.group++) {
    for (b.column = 0; b.column < outs; b.column += b.columns) {
      b.columns = et_min_i64(PANEL_COLUMNS, outs - b.column);
      add_columns(b);
    }
  }
}

void et_conv_last(const et_conv *conv, et_mutable_span scratch) {
  if (!et_conv_last_depthwise(conv, scratch)) {
    compute_gemm(conv, scratch);
  }
}
