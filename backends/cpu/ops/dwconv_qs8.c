/* Op dwconv_qs8: a convolution of bytes whose channels do not mix. */
#include "backends/cpu/microkernels/dwconv_qs8.h"

#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/op_codes.h"
#include "backends/cpu/ops/window_i8.h"

static et_cpu_dwconv_qs8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_dwconv_qs8);

enum { X = ET_CPU_I8_X, Y = ET_CPU_I8_Y };

static et_status check_weights(const et_cpu_op *op, et_error *error) {
  const int64_t height = et_cpu_attribute(op, ET_CPU_I8_WINDOW);
  const int64_t width = et_cpu_attribute(op, ET_CPU_I8_WINDOW + 1);
  const int64_t channels = op->tensors[X]->sizes[3];
  ET_CPU_CHECK(error, height * width <= ET_CPU_DWCONV_TAPS_I8,
               "dwconv_qs8: %lld x %lld taps are too many", (long long)height,
               (long long)width);
  const int64_t panels = (channels + 15) / 16;
  const int64_t packed[4] = {panels, width * ((height + 3) / 4), 16, 4};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, ET_CPU_I8_WEIGHTS,
                                        ET_SCALAR_TYPE_INT8, 4, packed, error));
  return et_cpu_check_columns(op, ET_CPU_I8_COLUMNS, panels * 16, error);
}

static et_status check(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_window_i8(op, 0, 0, error));
  const int32_t channels = op->tensors[X]->sizes[3];
  const int32_t columns = op->tensors[Y]->sizes[3];
  ET_CPU_CHECK(error, channels == columns,
               "dwconv_qs8: %d channels in, %d channels out", (int)channels,
               (int)columns);
  return check_weights(op, error);
}

/* Pixels that what is made ready for some channels pays off with, and rows that may
 * be worked on together. */
#define PIXELS 128
#define ROWS 4

typedef struct work {
  et_cpu_dwconv_qs8 depthwise;
  et_cpu_dwconv_qs8_function *function;
  size_t rows;     /* of the output, over all images */
  size_t at_once;  /* of them */
  size_t channels; /* blocks of them */
} work;

/* Channels of the same rows follow each other. */
static void run_rows(void *data, size_t index) {
  const work *w = data;
  const size_t block = index / w->channels;
  const et_cpu_rows_i8 rows = {block * w->at_once,
                               et_cpu_part(w->rows, w->at_once, block),
                               index % w->channels * ET_CPU_DWCONV_CHANNELS_I8};
  w->function(&w->depthwise, &rows);
}

static et_cpu_dwconv_qs8 read(const et_cpu_op *op) {
  const et_cpu_tensor *x = op->tensors[X];
  const et_cpu_tensor *y = op->tensors[Y];
  return (et_cpu_dwconv_qs8){
      .window =
          et_cpu_read_window(op, ET_CPU_I8_WINDOW, x->sizes + 1, y->sizes + 1),
      .x = et_cpu_read_bytes(op, X, ET_CPU_I8_ZERO_POINT),
      .taps = op->tensors[ET_CPU_I8_WEIGHTS]->data,
      .together = (size_t)et_cpu_attribute(op, ET_CPU_I8_TOGETHER),
      .lowest = (int32_t)et_cpu_attribute(op, ET_CPU_I8_LOWEST),
      .of_columns = et_cpu_read_columns(op, ET_CPU_I8_COLUMNS),
      .quantizing = et_cpu_read_output_quantization(op, ET_CPU_I8_QUANTIZING),
      .out = y->data,
      .channels = (size_t)x->sizes[3]};
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_tensor *y = op->tensors[Y];
  if (y->numel == 0) {
    return;
  }
  work w = {.depthwise = read(op), .function = variants[run->isa]};
  w.rows = (size_t)y->sizes[0] * (size_t)y->sizes[1];
  const size_t most = ROWS * et_cpu_parts(PIXELS, ROWS * (size_t)y->sizes[2]);
  w.at_once = et_cpu_even_part(w.rows, most, et_cpu_threads(run));
  w.channels = et_cpu_parts(w.depthwise.channels, ET_CPU_DWCONV_CHANNELS_I8);
  et_cpu_for_each(run, et_cpu_parts(w.rows, w.at_once) * w.channels, run_rows,
                  &w);
}

static const et_cpu_op_type op_type = {"dwconv_qs8", check, run, 0, NULL};
const et_backend_part et_cpu_op_dwconv_qs8 = {ET_CPU_OP_DWCONV_QS8, &op_type};
