#include "backends/cpu/ops/convs.h"

#include "backends/cpu/ops/activation.h"
#include "backends/cpu/ops/check.h"
#include "backends/cpu/ops/chunks.h"
#include "backends/cpu/ops/window.h"

enum { X, PANELS, BIAS, RESIDUAL, INPUTS };
enum {
  PLANES,
  WINDOW,
  GROUPS = WINDOW + ET_CPU_WINDOW_WORDS,
  ACTIVATION,
  WORDS = ACTIVATION + ET_CPU_ACTIVATION_WORDS
};

static const et_cpu_tensor *output(const et_cpu_op *op) {
  return op->tensors[op->input_count];
}

bool et_cpu_conv_reads_planes(const et_cpu_op *op) {
  return op->attributes[PLANES] != 0;
}

static int64_t channels_of(const et_cpu_op *op) {
  return op->tensors[X]->sizes[et_cpu_conv_reads_planes(op) ? 1 : 3];
}

/* Height and width. */
static const int32_t *image_of(const et_cpu_op *op) {
  return op->tensors[X]->sizes + (et_cpu_conv_reads_planes(op) ? 2 : 1);
}

static et_status check_weights(const et_cpu_op *op, et_scalar_type dtype,
                               et_error *error) {
  const int64_t groups = et_cpu_attribute(op, GROUPS);
  const int64_t channels = channels_of(op);
  const int64_t columns = output(op)->sizes[3];
  ET_CPU_CHECK(error,
               groups >= 1 && channels % groups == 0 && columns % groups == 0,
               "%s: %lld groups of %lld channels, %lld outputs", op->type->name,
               (long long)groups, (long long)channels, (long long)columns);
  const int64_t panels = (columns / groups + 15) / 16;
  const int64_t taps =
      et_cpu_attribute(op, WINDOW) * et_cpu_attribute(op, WINDOW + 1);
  const int64_t packed[4] = {groups, panels, taps * (channels / groups), 16};
  ET_RETURN_IF_ERROR(et_cpu_check_sizes(op, PANELS, dtype, 4, packed, error));
  return et_cpu_check_numel(op, BIAS, ET_SCALAR_TYPE_FLOAT32,
                            groups * panels * 16, error);
}

static et_status check_images(const et_cpu_op *op, et_error *error) {
  ET_RETURN_IF_ERROR(et_cpu_check_images(op, X, op->input_count, error));
  ET_RETURN_IF_ERROR(et_cpu_check_window(op, WINDOW, image_of(op),
                                         output(op)->sizes + 1, error));
  return op->input_count == INPUTS
             ? et_cpu_check_same(op, RESIDUAL, op->input_count, error)
             : ET_STATUS_OK;
}

static et_cpu_window read_window(const et_cpu_op *op) {
  return et_cpu_read_window(op, WINDOW, image_of(op), output(op)->sizes + 1);
}

et_status et_cpu_conv_check(const et_cpu_op *op, et_scalar_type weights,
                            et_error *error) {
  const et_cpu_counts counts = {.inputs_least = INPUTS - 1,
                                .inputs_most = INPUTS,
                                .outputs = 1,
                                .attributes = WORDS};
  ET_RETURN_IF_ERROR(et_cpu_check_counts(op, &counts, error));
  ET_RETURN_IF_ERROR(et_cpu_check_attribute(op, PLANES, 0, 1, error));
  ET_RETURN_IF_ERROR(et_cpu_check_activation(op, ACTIVATION, error));
  ET_RETURN_IF_ERROR(check_images(op, error));
  return check_weights(op, weights, error);
}

const et_cpu_tensor *et_cpu_conv_panels(const et_cpu_op *op) {
  return op->tensors[PANELS];
}

const float *et_cpu_conv_residual(const et_cpu_op *op) {
  return op->input_count == INPUTS ? op->tensors[RESIDUAL]->data : NULL;
}

et_cpu_conv et_cpu_conv_read(const et_cpu_op *op) {
  const et_cpu_conv conv = {.window = read_window(op),
                            .x = op->tensors[X]->data,
                            .bias = op->tensors[BIAS]->data,
                            .channels = (size_t)channels_of(op),
                            .columns = (size_t)output(op)->sizes[3],
                            .groups = (size_t)et_cpu_attribute(op, GROUPS),
                            .activation =
                                et_cpu_read_activation(op, ACTIVATION)};
  return conv;
}

/* Columns are shared out as well where there are few blocks of pixels. */
static size_t columns_per_block(const et_cpu_pixel_blocks *b) {
  const size_t few = 8;
  const size_t blocks = et_cpu_parts(b->pixels, ET_CPU_CONV_PIXELS);
  return blocks < few ? 64 : b->group_columns + 1;
}

et_cpu_pixel_blocks et_cpu_conv_blocks(const et_cpu_op *op) {
  const et_cpu_tensor *y = output(op);
  const size_t columns = (size_t)y->sizes[3];
  const size_t groups = (size_t)et_cpu_attribute(op, GROUPS);
  et_cpu_pixel_blocks b = {
      .out = y->data,
      .residual = et_cpu_conv_residual(op),
      .pixels = (size_t)y->sizes[0] * (size_t)y->sizes[1] * (size_t)y->sizes[2],
      .columns = columns,
      .groups = groups,
      .group_columns = columns / groups};
  b.block_columns = columns_per_block(&b);
  b.column_blocks = et_cpu_parts(b.group_columns, b.block_columns);
  return b;
}

size_t et_cpu_pixel_block_count(const et_cpu_pixel_blocks *b) {
  return et_cpu_parts(b->pixels, ET_CPU_CONV_PIXELS) * b->groups *
         b->column_blocks;
}

et_cpu_pixels et_cpu_pixel_block_at(const et_cpu_pixel_blocks *b,
                                    size_t index) {
  const size_t column = index % b->column_blocks;
  const size_t group = index / b->column_blocks % b->groups;
  const size_t pixel = index / b->column_blocks / b->groups;
  const size_t first = pixel * ET_CPU_CONV_PIXELS;
  const size_t before = first * b->columns;
  return (et_cpu_pixels){
      .first_pixel = first,
      .pixels = et_cpu_part(b->pixels, ET_CPU_CONV_PIXELS, pixel),
      .group = group,
      .first_column = column * b->block_columns,
      .columns = et_cpu_part(b->group_columns, b->block_columns, column),
      .out = b->out + before,
      .residual = b->residual == NULL ? NULL : b->residual + before};
}
