/* Step depthwise_i8: a convolution of bytes whose channels do not mix. */
#include "backends/cpu/simd/depthwise_i8.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/window_i8.h"

static et_cpu_depthwise_i8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS_I8(et_cpu_depthwise_i8);

enum { X = ET_CPU_I8_X, Y = ET_CPU_I8_Y };

static et_status check_weights(const et_cpu_step *step, et_error *error) {
  const int64_t height = et_cpu_attribute(step, ET_CPU_I8_WINDOW);
  const int64_t width = et_cpu_attribute(step, ET_CPU_I8_WINDOW + 1);
  const int64_t channels = step->tensors[X]->sizes[3];
  ET_CPU_CHECK(error, height * width <= ET_CPU_DEPTHWISE_TAPS_I8,
               "depthwise_i8: %lld x %lld taps are too many", (long long)height,
               (long long)width);
  const int64_t panels = (channels + 15) / 16;
  const int64_t packed[4] = {panels, width * ((height + 3) / 4), 16, 4};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, ET_CPU_I8_WEIGHTS,
                                        ET_SCALAR_TYPE_INT8, 4, packed, error));
  return et_cpu_check_columns(step, ET_CPU_I8_COLUMNS, panels * 16, error);
}

static et_status check(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_window_i8(step, 0, 0, error));
  const int32_t channels = step->tensors[X]->sizes[3];
  const int32_t columns = step->tensors[Y]->sizes[3];
  ET_CPU_CHECK(error, channels == columns,
               "depthwise_i8: %d channels in, %d channels out", (int)channels,
               (int)columns);
  return check_weights(step, error);
}

/* Pixels that what is made ready for some channels pays off with, and rows that may
 * be worked on together. */
#define PIXELS 128
#define ROWS 4

typedef struct work {
  et_cpu_depthwise_i8 depthwise;
  et_cpu_depthwise_i8_function *function;
  size_t rows;     /* of the output, over all images */
  size_t at_once;  /* of them */
  size_t channels; /* blocks of them */
} work;

/* Channels of the same rows follow each other. */
static void run_rows(void *data, size_t index) {
  const work *w = data;
  const size_t block = index / w->channels;
  const et_cpu_rows_i8 rows = {
      block * w->at_once, et_cpu_part(w->rows, w->at_once, block),
      index % w->channels * ET_CPU_DEPTHWISE_CHANNELS_I8};
  w->function(&w->depthwise, &rows);
}

static et_cpu_depthwise_i8 read(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = step->tensors[Y];
  return (et_cpu_depthwise_i8){
      .window = et_cpu_read_window(step, ET_CPU_I8_WINDOW, x->sizes + 1,
                                   y->sizes + 1),
      .x = et_cpu_read_bytes(step, X, ET_CPU_I8_ZERO_POINT),
      .taps = step->tensors[ET_CPU_I8_WEIGHTS]->data,
      .together = (size_t)et_cpu_attribute(step, ET_CPU_I8_TOGETHER),
      .lowest = (int32_t)et_cpu_attribute(step, ET_CPU_I8_LOWEST),
      .of_columns = et_cpu_read_columns(step, ET_CPU_I8_COLUMNS),
      .quantizing = et_cpu_read_quantizing(step, ET_CPU_I8_QUANTIZING),
      .out = y->data,
      .channels = (size_t)x->sizes[3]};
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *y = step->tensors[Y];
  if (y->numel == 0) {
    return;
  }
  work w = {.depthwise = read(step), .function = variants[run->isa]};
  w.rows = (size_t)y->sizes[0] * (size_t)y->sizes[1];
  const size_t most = ROWS * et_cpu_parts(PIXELS, ROWS * (size_t)y->sizes[2]);
  w.at_once = et_cpu_even_part(w.rows, most, et_cpu_threads(run));
  w.channels = et_cpu_parts(w.depthwise.channels, ET_CPU_DEPTHWISE_CHANNELS_I8);
  et_cpu_for_each(run, et_cpu_parts(w.rows, w.at_once) * w.channels, run_rows,
                  &w);
}

static const et_cpu_kind kind = {"depthwise_i8", check, run, 0};
const et_backend_part et_cpu_step_depthwise_i8 = {ET_CPU_KIND_DEPTHWISE_I8,
                                                  &kind};
