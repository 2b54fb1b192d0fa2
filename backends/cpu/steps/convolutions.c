#include "backends/cpu/steps/convolutions.h"

#include "backends/cpu/steps/activation.h"
#include "backends/cpu/steps/check.h"
#include "backends/cpu/steps/chunks.h"
#include "backends/cpu/steps/window.h"

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

bool et_cpu_convolution_reads_planes(const et_cpu_step *step) {
  return step->attributes[PLANES] != 0;
}

static int64_t channels_of(const et_cpu_step *step) {
  return step->tensors[X]->sizes[et_cpu_convolution_reads_planes(step) ? 1 : 3];
}

/* Height and width. */
static const int32_t *image_of(const et_cpu_step *step) {
  return step->tensors[X]->sizes +
         (et_cpu_convolution_reads_planes(step) ? 2 : 1);
}

static et_status check_weights(const et_cpu_step *step, et_scalar_type dtype,
                               et_error *error) {
  const int64_t groups = et_cpu_attribute(step, GROUPS);
  const int64_t channels = channels_of(step);
  const int64_t columns = output(step)->sizes[3];
  ET_CPU_CHECK(
      error, groups >= 1 && channels % groups == 0 && columns % groups == 0,
      "%s: %lld groups of %lld channels, %lld outputs", step->kind->name,
      (long long)groups, (long long)channels, (long long)columns);
  const int64_t panels = (columns / groups + 15) / 16;
  const int64_t taps =
      et_cpu_attribute(step, WINDOW) * et_cpu_attribute(step, WINDOW + 1);
  const int64_t packed[4] = {groups, panels, taps * (channels / groups), 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(step, PANELS, dtype, 4, packed, error));
  return et_cpu_check_numel(step, BIAS, ET_SCALAR_TYPE_FLOAT32,
                            groups * panels * 16, error);
}

static et_status check_images(const et_cpu_step *step, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_images(step, X, step->input_count, error));
  ET_RETURN_IF_ERROR(et_cpu_check_window(step, WINDOW, image_of(step),
                                         output(step)->sizes + 1, error));
  return step->input_count == INPUTS
             ? et_cpu_check_same(step, RESIDUAL, step->input_count, error)
             : ET_STATUS_OK;
}

static et_cpu_window read_window(const et_cpu_step *step) {
  return et_cpu_read_window(step, WINDOW, image_of(step),
                            output(step)->sizes + 1);
}

et_status et_cpu_convolution_check(const et_cpu_step *step,
                                   et_scalar_type weights, et_error *error) {
  const et_cpu_counts counts = {.inputs_least = INPUTS - 1,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(step, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(step, PLANES, 0, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(step, ACTIVATION, error));
  ET_RETURN_IF_ERROR(check_images(step, error));
  return check_weights(step, weights, error);
}

const et_cpu_tensor *et_cpu_convolution_panels(const et_cpu_step *step) {
  return step->tensors[PANELS];
}

const float *et_cpu_convolution_residual(const et_cpu_step *step) {
  return step->input_count == INPUTS ? step->tensors[RESIDUAL]->data : NULL;
}

et_cpu_convolution et_cpu_convolution_read(const et_cpu_step *step) {
  const et_cpu_convolution conv = {
      .window = read_window(step),
      .x = step->tensors[X]->data,
      .bias = step->tensors[BIAS]->data,
      .channels = (size_t)channels_of(step),
      .columns = (size_t)output(step)->sizes[3],
      .groups = (size_t)et_cpu_attribute(step, GROUPS),
      .activation = et_cpu_read_activation(step, ACTIVATION)};
  return conv;
}

/* Columns are shared out as well where there are few blocks of pixels. */
static size_t columns_per_block(const et_cpu_pixel_blocks *b) {
  const size_t few = 8;
  const size_t blocks = et_cpu_parts(b->pixels, ET_CPU_CONVOLUTION_PIXELS);
  return blocks < few ? 64 : b->group_columns + 1;
}

et_cpu_pixel_blocks et_cpu_convolution_blocks(const et_cpu_step *step) {
  const et_cpu_tensor *y = output(step);
  const size_t columns = (size_t)y->sizes[3];
  const size_t groups = (size_t)et_cpu_attribute(step, GROUPS);
  et_cpu_pixel_blocks b = {
      .out = y->data,
      .residual = et_cpu_convolution_residual(step),
      .pixels = (size_t)y->sizes[0] * (size_t)y->sizes[1] * (size_t)y->sizes[2],
      .columns = columns,
      .groups = groups,
      .group_columns = columns / groups};
  b.block_columns = columns_per_block(&b);
  b.column_blocks = et_cpu_parts(b.group_columns, b.block_columns);
  return b;
}

size_t et_cpu_pixel_block_count(const et_cpu_pixel_blocks *b) {
  return et_cpu_parts(b->pixels, ET_CPU_CONVOLUTION_PIXELS) * b->groups *
         b->column_blocks;
}

et_cpu_pixels et_cpu_pixel_block_at(const et_cpu_pixel_blocks *b,
                                    size_t index) {
  const size_t column = index % b->column_blocks;
  const size_t group = index / b->column_blocks % b->groups;
  const size_t pixel = index / b->column_blocks / b->groups;
  const size_t first = pixel * ET_CPU_CONVOLUTION_PIXELS;
  const size_t before = first * b->columns;
  return (et_cpu_pixels){
      .first_pixel = first,
      .pixels = et_cpu_part(b->pixels, ET_CPU_CONVOLUTION_PIXELS, pixel),
      .group = group,
      .first_column = column * b->block_columns,
      .columns = et_cpu_part(b->group_columns, b->block_columns, column),
      .out = b->out + before,
      .residual = b->residual == NULL ? NULL : b->residual + before};
}
