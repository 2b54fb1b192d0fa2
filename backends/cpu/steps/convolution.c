/* Step convolution: any window, any groups, of images [batch][y][x][channel]. */
#include "backends/cpu/simd/planes.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/kinds.h"
#include "backends/cpu/steps/window.h"

static et_cpu_convolution_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_convolution_f32);
static et_cpu_planes_f32_function *const plane_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_planes_f32);

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

static bool reads_planes(const et_cpu_step *step) {
  return step->attributes[PLANES] != 0;
}

static int64_t channels_of(const et_cpu_step *step) {
  return step->tensors[X]->sizes[reads_planes(step) ? 1 : 3];
}

/* Height and width. */
static const int32_t *image_of(const et_cpu_step *step) {
  return step->tensors[X]->sizes + (reads_planes(step) ? 2 : 1);
}

static et_status check_weights(const et_cpu_step *step, et_error *error) {
  const int64_t groups = et_cpu_attribute(step, GROUPS);
  const int64_t channels = channels_of(step);
  const int64_t columns = output(step)->sizes[3];
  ET_CPU_CHECK(error,
               groups >= 1 && channels % groups == 0 && columns % groups == 0,
               "convolution: %lld groups of %lld channels, %lld outputs",
               (long long)groups, (long long)channels, (long long)columns);
  const int64_t panels = (columns / groups + 15) / 16;
  const int64_t taps =
      et_cpu_attribute(step, WINDOW) * et_cpu_attribute(step, WINDOW + 1);
  const int64_t packed[4] = {groups, panels, taps * (channels / groups), 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, PANELS, ET_SCALAR_TYPE_FLOAT32, 4,
                                        packed, error));
  return et_cpu_check_numel(step, BIAS, ET_SCALAR_TYPE_FLOAT32,
                            groups * panels * 16, error);
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
  ET_RETURN_IF_ERROR(
      et_cpu_check_window(step, WINDOW, image_of(step), out + 1, error));
  return step->input_count == INPUTS
             ? et_cpu_check_same(step, RESIDUAL, step->input_count, error)
             : ET_STATUS_OK;
}

static et_cpu_window read_window(const et_cpu_step *step) {
  return et_cpu_read_window(step, WINDOW, image_of(step),
                            output(step)->sizes + 1);
}

/* That the rows which one output row reads fit the memory that is laid for them:
 * reading planes is for few channels. */
static et_status check_planes(const et_cpu_step *step, et_error *error) {
  const et_cpu_window window = read_window(step);
  const size_t channels = (size_t)channels_of(step);
  ET_CPU_CHECK(error, et_cpu_attribute(step, GROUPS) == 1,
               "convolution: planes are read in one group only");
  ET_CPU_CHECK(
      error, et_cpu_planes_fit(&window, channels),
      "convolution: windows of %zu x %zu over %zu planes are too large",
      window.kernel_y, window.kernel_x, channels);
  return ET_STATUS_OK;
}

static et_status check(const et_cpu_step *step, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = INPUTS - 1,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, PLANES, 0, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(step, ACTIVATION, error));
  ET_RETURN_IF_ERROR(check_images(step, error));
  ET_RETURN_IF_ERROR(check_weights(step, error));
  return reads_planes(step) ? check_planes(step, error) : ET_STATUS_OK;
}

/* Blocks of pixels times blocks of a group's columns. */
typedef struct work {
  et_cpu_convolution conv;
  et_cpu_convolution_f32_function *function;
  float *out;
  const float *residual; /* or NULL */
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
  const size_t first = pixel * ET_CPU_CONVOLUTION_PIXELS;
  const size_t before = first * w->conv.columns;
  const et_cpu_pixels pixels = {
      .first_pixel = first,
      .pixels = et_cpu_part(w->pixels, ET_CPU_CONVOLUTION_PIXELS, pixel),
      .group = group,
      .first_column = column * w->block_columns,
      .columns = et_cpu_part(w->group_columns, w->block_columns, column),
      .out = w->out + before,
      .residual = w->residual == NULL ? NULL : w->residual + before};
  w->function(&w->conv, &pixels);
}

static const float *residual_of(const et_cpu_step *step) {
  return step->input_count == INPUTS ? step->tensors[RESIDUAL]->data : NULL;
}

static et_cpu_convolution read(const et_cpu_step *step) {
  const et_cpu_convolution conv = {
      .window = read_window(step),
      .x = step->tensors[X]->data,
      .panels = step->tensors[PANELS]->data,
      .bias = step->tensors[BIAS]->data,
      .channels = (size_t)channels_of(step),
      .columns = (size_t)output(step)->sizes[3],
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

static void run_images(const et_cpu_step *step, const et_cpu_run *run) {
  const et_cpu_tensor *y = output(step);
  work w = {.conv = read(step),
            .function = variants[run->isa],
            .out = y->data,
            .residual = residual_of(step)};
  w.pixels = (size_t)y->sizes[0] * (size_t)y->sizes[1] * (size_t)y->sizes[2];
  w.group_columns = w.conv.columns / w.conv.groups;
  w.block_columns = columns_per_block(&w);
  w.column_blocks = et_cpu_parts(w.group_columns, w.block_columns);
  const size_t blocks = et_cpu_parts(w.pixels, ET_CPU_CONVOLUTION_PIXELS);
  et_cpu_for_each(run, blocks * w.conv.groups * w.column_blocks, run_block, &w);
}

typedef struct plane_work {
  et_cpu_convolution conv;
  et_cpu_planes_f32_function *function;
  float *out;
  const float *residual; /* or NULL */
} plane_work;

static void run_row(void *data, size_t index) {
  const plane_work *w = data;
  const size_t before = index * w->conv.window.out_width * w->conv.columns;
  w->function(&w->conv, index, w->out + before,
              w->residual == NULL ? NULL : w->residual + before);
}

static void run(const et_cpu_step *step, const et_cpu_run *run) {
  if (!reads_planes(step)) {
    run_images(step, run);
    return;
  }
  const et_cpu_tensor *y = output(step);
  plane_work w = {read(step), plane_variants[run->isa], y->data,
                  residual_of(step)};
  et_cpu_for_each(run, (size_t)y->sizes[0] * (size_t)y->sizes[1], run_row, &w);
}

static const et_cpu_kind kind = {"convolution", check, run, 0};
const et_backend_part et_cpu_step_convolution = {ET_CPU_KIND_CONVOLUTION,
                                                 &kind};
