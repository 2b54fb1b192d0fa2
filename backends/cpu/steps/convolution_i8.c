/* Step convolution_i8: a convolution of bytes, whose sums are exact. */
#include "backends/cpu/simd/convolution_i8.h"

#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/quantized.h"
#include "backends/cpu/steps/window.h"

static et_cpu_convolution_i8_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_convolution_i8);

enum { X, PANELS, SUMS, Y = SUMS + ET_CPU_COLUMN_TENSORS };
enum {
  WINDOW,
  GROUPS = WINDOW + ET_CPU_WINDOW_WORDS,
  ZERO_POINT,
  TOGETHER,
  LOWEST,
  QUANTIZING,
  WORDS = QUANTIZING + ET_CPU_QUANTIZING_WORDS
};

/* Groups divide the channels, and what is kept on the stack fits. */
static et_status check_depth(const et_cpu_step *step, int64_t groups,
                             int64_t taps, et_error *error) {
  const int64_t channels = step->tensors[X]->sizes[3];
  const int64_t columns = step->tensors[Y]->sizes[3];
  ET_CPU_CHECK(error, channels % groups == 0 && columns % groups == 0,
               "convolution_i8: %lld groups of %lld channels, %lld columns",
               (long long)groups, (long long)channels, (long long)columns);
  const int64_t quads = taps * ((channels / groups + 3) / 4);
  ET_CPU_CHECK(error,
               taps <= ET_CPU_TAPS_I8 && quads <= ET_CPU_QUADS_I8 &&
                   channels / groups <= ET_CPU_CHANNELS_I8,
               "convolution_i8: %lld taps of %lld channels are too many",
               (long long)taps, (long long)(channels / groups));
  return ET_STATUS_OK;
}

static et_status check_weights(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, GROUPS, 1, 1 << 20, error));
  const int64_t groups = et_cpu_attribute(step, GROUPS);
  const int64_t taps =
      et_cpu_attribute(step, WINDOW) * et_cpu_attribute(step, WINDOW + 1);
  ET_RETURN_IF_ERROR(check_depth(step, groups, taps, error));
  const int64_t channels = step->tensors[X]->sizes[3] / groups;
  const int64_t columns = step->tensors[Y]->sizes[3] / groups;
  const int64_t panels = groups * ((columns + 15) / 16);
  const int64_t packed[4] = {panels, taps * ((channels + 3) / 4), 16, 4};
  ET_RETURN_IF_ERROR(
      et_cpu_check_sizes(step, PANELS, ET_SCALAR_TYPE_INT8, 4, packed, error));
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
  ET_CPU_CHECK(error, in[0] == out[0],
               "convolution_i8: %d images in, %d images out", (int)in[0],
               (int)out[0]);
  ET_RETURN_IF_ERROR(et_cpu_check_window(step, WINDOW, in + 1, out + 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_byte(step, ZERO_POINT, X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, TOGETHER, 0,
                                            ET_CPU_QUADS_I8, error));
  ET_RETURN_IF_ERROR(et_cpu_check_byte(step, LOWEST, X, error));
  ET_RETURN_IF_ERROR(et_cpu_check_quantizing(step, QUANTIZING, Y, error));
  return check_weights(step, error);
}

typedef struct work {
  et_cpu_convolution_i8 conv;
  et_cpu_convolution_i8_function *function;
  size_t pixels;
  size_t blocks;
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const size_t block = index / w->conv.groups;
  const size_t first = w->pixels * block / w->blocks;
  const size_t end = w->pixels * (block + 1) / w->blocks;
  const et_cpu_pixels_i8 pixels = {first, end - first, index % w->conv.groups};
  w->function(&w->conv, &pixels);
}

static et_cpu_convolution_i8 read(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = step->tensors[Y];
  const et_cpu_convolution_i8 conv = {
      .window = et_cpu_read_window(step, WINDOW, x->sizes + 1, y->sizes + 1),
      .x = et_cpu_read_bytes(step, X, ZERO_POINT),
      .together = (size_t)et_cpu_attribute(step, TOGETHER),
      .lowest = (int32_t)et_cpu_attribute(step, LOWEST),
      .panels = step->tensors[PANELS]->data,
      .of_columns = et_cpu_read_columns(step, SUMS),
      .quantizing = et_cpu_read_quantizing(step, QUANTIZING),
      .out = y->data,
      .channels = (size_t)x->sizes[3],
      .columns = (size_t)y->sizes[3],
      .groups = (size_t)et_cpu_attribute(step, GROUPS)};
  return conv;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const int32_t *out = step->tensors[Y]->sizes;
  if (step->tensors[Y]->numel == 0) {
    return; /* groups and pixels may be many all the same */
  }
  work w = {.conv = read(step), .function = variants[run->isa]};
  w.pixels = (size_t)out[0] * (size_t)out[1] * (size_t)out[2];
  w.blocks = et_cpu_parts(w.pixels, ET_CPU_PIXELS_I8);
  et_cpu_for_each(run, w.blocks * w.conv.groups, run_block, &w);
}

static const et_cpu_kind kind = {"convolution_i8", check, run, 0};
const et_backend_part et_cpu_step_convolution_i8 = {ET_CPU_KIND_CONVOLUTION_I8,
                                                    &kind};
