/* Op dwconv_f32: depthwise convolution of images [B, H, W, C]. */
#include "backends/cpu/schema/dwconv_f32.h"

#include "backends/cpu/microkernels/dwconv_f32.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/window.h"
#include "backends/cpu/schema/kernel_sizes.h"

static et_cpu_dwconv_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_dwconv_f32);

static et_status check_weights(const et_cpu_op *op,
                               const et_cpu_dwconv_f32_args *args,
                               et_error *error) {
  const int32_t *kernel = args->attributes.window.kernel;
  ET_CPU_CHECK(error, kernel[0] <= ET_CPU_DWCONV_F32_MAX_ROWS,
               "dwconv_f32: kernel has %d rows, expected 1 to %d",
               (int)kernel[0], ET_CPU_DWCONV_F32_MAX_ROWS);
  return et_cpu_check_panels(op, args->weights, args->bias,
                             (int64_t)kernel[0] * kernel[1], args->x->sizes[3],
                             error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_dwconv_f32_args args = et_cpu_dwconv_f32_args_of(op);
  ET_RETURN_IF_ERROR(et_cpu_check_same_channels(op, args.x, args.y, error));
  ET_RETURN_IF_ERROR(et_cpu_check_window_sizes(op, &args.attributes.window,
                                               args.x->sizes + 1,
                                               args.y->sizes + 1, error));
  return check_weights(op, &args, error);
}

typedef struct work {
  et_cpu_dwconv depthwise;
  et_cpu_dwconv_f32_function *function;
  const float *x;
  float *y;
  size_t rows;  /* rows of the output, over all images */
  size_t range; /* rows per range; the last range may have fewer */
  size_t parts; /* number of parts of the channels */
} work;

static et_cpu_channels channels_of(const work *w, size_t part) {
  const size_t channels = w->depthwise.channels;
  const size_t panels = et_cpu_parts(channels, 16);
  const size_t end = et_first_of_part(panels, part + 1, w->parts) * 16;
  return (et_cpu_channels){et_first_of_part(panels, part, w->parts) * 16,
                           end < channels ? end : channels};
}

static void run_row(const work *w, size_t index, et_cpu_channels some) {
  const et_cpu_window *window = &w->depthwise.window;
  const size_t channels = w->depthwise.channels;
  const size_t pitch = window->width * channels;
  const float *image =
      w->x + index / window->out_height * window->height * pitch;
  size_t y = index % window->out_height * window->stride_y - window->top;
  const float *rows[ET_CPU_DWCONV_F32_MAX_ROWS];
  for (size_t i = 0; i < window->kernel_y; i++, y += window->dilation_y) {
    rows[i] = y < window->height ? image + y * pitch : NULL;
  }
  w->function(&w->depthwise, rows, w->y + index * window->out_width * channels,
              some);
}

/* A chunk is one row of a range, for one part of the channels. Rows vary fastest. */
static void run_chunk(void *data, size_t index) {
  const work *w = data;
  const size_t part = index / w->range;
  const size_t row = part / w->parts * w->range + index % w->range;
  if (row < w->rows) {
    run_row(w, row, channels_of(w, part % w->parts));
  }
}

/* Divides the rows among threads like adjacent GEMMs, so that the data of a thread is in its own
 * cache. With few rows, divides channels instead, which balances the load better. With parts of 128
 * channels, three rows of a small image stay in the L1 cache until they are read again for the next
 * output row. Returns the number of chunks. */
static size_t divide_work(work *w, size_t threads) {
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
  w->range = et_cpu_parts(w->rows, ranges);
  return ranges * w->range * w->parts;
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_dwconv_f32_args args = et_cpu_dwconv_f32_args_of(op);
  const int32_t *out = args.y->sizes;
  work w = {
      .depthwise = {.window = et_cpu_window_of(&args.attributes.window,
                                               args.x->sizes + 1, out + 1),
                    .taps = args.weights->data,
                    .bias = args.bias->data,
                    .channels = (size_t)args.x->sizes[3],
                    .activation = args.attributes.activation},
      .function = variants[run->isa],
      .x = args.x->data,
      .y = args.y->data,
      .rows = (size_t)out[0] * (size_t)out[1]};
  et_cpu_for_each(run, divide_work(&w, et_cpu_threads(run)), run_chunk, &w);
}

static const et_cpu_op_type op_type = {&et_cpu_dwconv_f32_schema, check, run};
const et_backend_part et_cpu_op_dwconv_f32 = {ET_CPU_OP_DWCONV_F32, &op_type};
