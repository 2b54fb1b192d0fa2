/* Op dwconv_f32: a convolution whose channels do not mix. */
#include "backends/cpu/microkernels/dwconv_f32.h"

#include "backends/cpu/ops/activation.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/window.h"

static et_cpu_dwconv_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_dwconv_f32);

enum { X, TAPS, BIAS, Y };
enum {
  WINDOW,
  ACTIVATION = WINDOW + ET_CPU_WINDOW_WORDS,
  WORDS = ACTIVATION + ET_CPU_ACTIVATION_WORDS
};

/* Rows of a window are listed on the stack. */
#define MOST_ROWS 256

static et_status check_weights(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, WINDOW, 1, MOST_ROWS, error));
  const int64_t panels = ((int64_t)op->tensors[X]->sizes[3] + 15) / 16;
  const int64_t taps =
      et_cpu_attribute(op, WINDOW) * et_cpu_attribute(op, WINDOW + 1);
  const int64_t packed[3] = {panels, taps, 16};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(op, TAPS, ET_SCALAR_TYPE_FLOAT32, 3, packed, error));
  return et_cpu_check_numel(op, BIAS, ET_SCALAR_TYPE_FLOAT32, panels * 16,
                            error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(op, ACTIVATION, error));
  ET_RETURN_IF_ERROR(et_cpu_check_images(op, X, Y, error));
  ET_RETURN_IF_ERROR(et_cpu_check_channels(op, X, Y, error));
  const int32_t *in = op->tensors[X]->sizes;
  const int32_t *out = op->tensors[Y]->sizes;
  ET_RETURN_IF_ERROR(et_cpu_check_window(op, WINDOW, in + 1, out + 1, error));
  return check_weights(op, error);
}

typedef struct work {
  et_cpu_dwconv depthwise;
  et_cpu_dwconv_f32_function *function;
  const float *x;
  float *y;
  size_t rows;     /* of the output, over all images */
  size_t together; /* rows of a range, of which the last one may have fewer */
  size_t parts;    /* of the channels */
} work;

static et_cpu_channels channels_of(const work *w, size_t part) {
  const size_t channels = w->depthwise.channels;
  const size_t panels = et_cpu_parts(channels, 16);
  const size_t end = panels * (part + 1) / w->parts * 16;
  return (et_cpu_channels){panels * part / w->parts * 16,
                           end < channels ? end : channels};
}

static void run_row(const work *w, size_t index, et_cpu_channels some) {
  const et_cpu_window *window = &w->depthwise.window;
  const size_t channels = w->depthwise.channels;
  const size_t pitch = window->width * channels;
  const float *image =
      w->x + index / window->out_height * window->height * pitch;
  size_t y = index % window->out_height * window->stride_y - window->top;
  const float *rows[MOST_ROWS];
  for (size_t i = 0; i < window->kernel_y; i++, y += window->dilation_y) {
    rows[i] = y < window->height ? image + y * pitch : NULL;
  }
  w->function(&w->depthwise, rows, w->y + index * window->out_width * channels,
              some);
}

/* Of a range of rows, a part of the channels of one row after the other. */
static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t part = index / w->together;
  const size_t row = part / w->parts * w->together + index % w->together;
  if (row < w->rows) {
    run_row(w, row, channels_of(w, part % w->parts));
  }
}

/* Threads have a range of rows each, as of products before and behind, so that what they read
 * is in their own caches; where there are few, parts of the channels, which more can be shared
 * out evenly. Of parts of 128 channels, three rows of a small picture stay in the nearest cache
 * until the next row has read them again. Returns the number of chunks. */
static size_t share_out(work *w, size_t threads) {
  const size_t few = 4;
  const size_t near = 128;
  const size_t channels = w->depthwise.channels;
  size_t ranges = threads;
  w->parts = et_cpu_parts(channels, near);
  if (w->rows < few * threads) {
    ranges = 1;
    if (w->parts < threads && channels > 16 * (threads - 1)) {
      w->parts = threads;
    }
  }
  w->together = et_cpu_parts(w->rows, ranges);
  return ranges * w->together * w->parts;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  work w = {.depthwise = {.window = et_cpu_read_window(op, WINDOW, x->sizes + 1,
                                                       y->sizes + 1),
                          .taps = op->tensors[TAPS]->data,
                          .bias = op->tensors[BIAS]->data,
                          .channels = (size_t)x->sizes[3],
                          .activation = et_cpu_read_activation(op, ACTIVATION)},
            .function = variants[run->isa],
            .x = x->data,
            .y = y->data,
            .rows = (size_t)y->sizes[0] * (size_t)y->sizes[1]};
  et_cpu_for_each(run, share_out(&w, et_cpu_threads(run)), run_chunk, &w);
}

static const et_cpu_op_type op_type = {"dwconv_f32", check, run, 0, NULL};
const et_backend_part et_cpu_op_dwconv_f32 = {ET_CPU_OP_DWCONV_F32, &op_type};
