/* Step depthwise_i8: a convolution of bytes whose channels do not mix. */
#include "backends/cpu/simd/depthwise_i8.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/quantized.h"
#include "backends/cpu/steps/window.h"

static et_cpu_depthwise_i8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_depthwise_i8);

enum { X, TAPS, SUMS, Y = SUMS + ET_CPU_COLUMN_TENSORS };
enum {
  WINDOW,
  ZERO_POINT = WINDOW + ET_CPU_WINDOW_WORDS,
  QUANTIZING,
  WORDS = QUANTIZING + ET_CPU_QUANTIZING_WORDS
};

static et_status check_weights(const et_cpu_step *step, et_error *error) {
  const int64_t height = et_cpu_attribute(step, WINDOW);
  const int64_t width = et_cpu_attribute(step, WINDOW + 1);
  const int64_t channels = step->tensors[X]->sizes[3];
  ET_CPU_CHECK(error, height * width <= ET_CPU_DEPTHWISE_TAPS_I8,
               "depthwise_i8: %lld x %lld taps are too many", (long long)height,
               (long long)width);
  const int64_t panels = (channels + 15) / 16;
  const int64_t packed[4] = {panels, width * ((height + 1) / 2), 16, 2};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(step, TAPS, ET_SCALAR_TYPE_INT16, 4, packed, error));
  return et_cpu_check_columns(step, SUMS, panels * 16, error);
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {
      .inputs_least = Y, .inputs_most = Y, .outputs = 1, .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_image_i8(step, X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_image_i8(step, Y, error));
  const int32_t *in = step->tensors[X]->sizes;
  const int32_t *out = step->tensors[Y]->sizes;
  ET_CPU_CHECK(error, in[0] == out[0] && in[3] == out[3],
               "depthwise_i8: %d images of %d channels in, %d of %d out",
               (int)in[0], (int)in[3], (int)out[0], (int)out[3]);
  ET_RETURN_IF_ERROR(et_cpu_check_window(step, WINDOW, in + 1, out + 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_byte(step, ZERO_POINT, X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_quantizing(step, QUANTIZING, Y, error));
  return check_weights(step, error);
}

typedef struct work {
  et_cpu_depthwise_i8 depthwise;
  et_cpu_depthwise_i8_function *function;
} work;

static void run_row(void *data, size_t index) {
  const work *w = data;
  w->function(&w->depthwise, index);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = step->tensors[Y];
  work w = {.function = variants[run->isa]};
  w.depthwise = (et_cpu_depthwise_i8){
      .window = et_cpu_read_window(step, WINDOW, x->sizes + 1, y->sizes + 1),
      .x = et_cpu_read_bytes(step, X, ZERO_POINT),
      .taps = step->tensors[TAPS]->data,
      .of_columns = et_cpu_read_columns(step, SUMS),
      .quantizing = et_cpu_read_quantizing(step, QUANTIZING),
      .out = y->data,
      .channels = (size_t)x->sizes[3]};
  et_cpu_for_each(run, (size_t)y->sizes[0] * (size_t)y->sizes[1], run_row, &w);
}

static const et_cpu_kind kind = {"depthwise_i8", check, run, 0};
const et_backend_part et_cpu_step_depthwise_i8 = {ET_CPU_KIND_DEPTHWISE_I8,
                                                  &kind};
