/* Step convolution: any window, any groups, of images [batch][y][x][channel]. */
#include "backends/cpu/simd/convolution.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/window.h"

static et_cpu_convolution_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_convolution_f32);

enum { X, PANELS, BIAS, RESIDUAL, INPUTS };
enum {
  PLANES,
  WINDOW,
  GROUPS = WINDOW + ET_CPU_WINDOW_WORDS,
  ACTIVATION,
  WORDS = ACTIVATION + ET_CPU_ACTIVATION_WORDS
};

static const et_cpu_tensor *output(const et_cpu_step *step) {
  return step->tensors[step->input_count];
}

static et_status check_weights(const et_cpu_step *step, et_error *error) {
  const int64_t groups = et_cpu_attribute(step, GROUPS);
  const int64_t channels = step->tensors[X]->sizes[3];
  const int64_t columns = output(step)->sizes[3];
  ET_CPU_CHECK(error,
               groups >= 1 && channels % groups == 0 && columns % groups == 0,
               "convolution: %lld groups of %lld channels, %lld outputs",
               (long long)groups, (long long)channels, (long long)columns);
  const int64_t panels = (columns / groups + 15) / 16;
  const int64_t taps =
      et_cpu_attribute(step, WINDOW) * et_cpu_attribute(step, WINDOW + 1);
  const int64_t depth = taps * (channels / groups);
  const int64_t packed[4] = {groups, panels, depth, 16};
  const int64_t padded[1] = {groups * panels * 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, PANELS, ET_SCALAR_TYPE_FLOAT32, 4,
                                        packed, error));
  return et_cpu_check_sizes(step, BIAS, ET_SCALAR_TYPE_FLOAT32, 1, padded,
                            error);
}

static et_status check_images(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(
      et_cpu_check_tensor(step, X, ET_SCALAR_TYPE_FLOAT32, 4, error));
  ET_RETURN_IF_ERROR(et_cpu_check_tensor(step, step->input_count,
                                         ET_SCALAR_TYPE_FLOAT32, 4, error));
  const int32_t *in = step->tensors[X]->sizes;
  const int32_t *out = output(step)->sizes;
  ET_CPU_CHECK(error, in[0] == out[0],
               "convolution: %d images in, %d images out", (int)in[0],
               (int)out[0]);
  ET_RETURN_IF_ERROR(et_cpu_check_window(step, WINDOW, in + 1, out + 1, error));
  return step->input_count == INPUTS
             ? et_cpu_check_same(step, RESIDUAL, step->input_count, error)
             : ET_STATUS_OK;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = INPUTS - 1,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, PLANES, 0, 0, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(step, ACTIVATION, error));
  ET_RETURN_IF_ERROR(check_images(step, error));
  return check_weights(step, error);
}

/* Blocks of pixels times blocks of a group's columns. */
typedef struct work {
  et_cpu_convolution conv;
  et_cpu_convolution_f32_function *function;
  size_t pixels;
  size_t group_columns;
  size_t block_columns;
  size_t column_blocks; /* of a group */
} work;

static void run_block(void *data, size_t index) {
  const work *w = data;
  const size_t column = index % w->column_blocks;
  const size_t group = index / w->column_blocks % w->conv.groups;
  const size_t pixel = index / w->column_blocks / w->conv.groups;
  const et_cpu_pixels pixels = {
      pixel * ET_CPU_CONVOLUTION_PIXELS,
      et_cpu_part(w->pixels, ET_CPU_CONVOLUTION_PIXELS, pixel), group,
      column * w->block_columns,
      et_cpu_part(w->group_columns, w->block_columns, column)};
  w->function(&w->conv, &pixels);
}

static et_cpu_convolution read(const et_cpu_step *step) {
  const et_cpu_tensor *x = step->tensors[X];
  const et_cpu_tensor *y = output(step);
  const et_cpu_convolution conv = {
      .window = et_cpu_read_window(step, WINDOW, x->sizes + 1, y->sizes + 1),
      .x = x->data,
      .panels = step->tensors[PANELS]->data,
      .bias = step->tensors[BIAS]->data,
      .residual =
          step->input_count == INPUTS ? step->tensors[RESIDUAL]->data : NULL,
      .out = y->data,
      .channels = (size_t)x->sizes[3],
      .columns = (size_t)y->sizes[3],
      .groups = (size_t)et_cpu_attribute(step, GROUPS),
      .activation = et_cpu_read_activation(step, ACTIVATION)};
  return conv;
}

/* Columns are shared out as well where there are few blocks of pixels. */
static size_t columns_per_block(const work *w) {
  const size_t few = 8;
  const size_t blocks = et_cpu_parts(w->pixels, ET_CPU_CONVOLUTION_PIXELS);
  return blocks < few ? 64 : w->group_columns + 1;
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *y = output(step);
  work w = {.conv = read(step), .function = variants[run->isa]};
  w.pixels = (size_t)y->sizes[0] * (size_t)y->sizes[1] * (size_t)y->sizes[2];
  w.group_columns = w.conv.columns / w.conv.groups;
  w.block_columns = columns_per_block(&w);
  w.column_blocks = et_cpu_parts(w.group_columns, w.block_columns);
  const size_t blocks = et_cpu_parts(w.pixels, ET_CPU_CONVOLUTION_PIXELS);
  et_cpu_for_each(run, blocks * w.conv.groups * w.column_blocks, run_block, &w);
}

static const et_cpu_kind kind = {"convolution", check, run, 0};
const et_backend_part et_cpu_step_convolution = {ET_CPU_KIND_CONVOLUTION,
                                                 &kind};
